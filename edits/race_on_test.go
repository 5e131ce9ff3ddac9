//go:build race

package edits

import "time"

// hostileLimit bounds one case of TestHostileSizes under the race detector,
// which makes it ten times slower.
const hostileLimit = time.Minute
