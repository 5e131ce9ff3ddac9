package syntax

import (
	"os"
	"testing"
	"time"
)

// TestMain gives parsers more time than a person would: tests of other packages
// run beside these.
func TestMain(m *testing.M) {
	maxTime = 2 * time.Minute
	os.Exit(m.Run())
}
