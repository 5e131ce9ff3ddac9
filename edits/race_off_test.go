//go:build !race

package edits

import "time"

// hostileLimit bounds one case of TestHostileSizes; on a quiet machine each
// takes well under a second.
const hostileLimit = 5 * time.Second
