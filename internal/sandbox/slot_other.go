//go:build !unix

package sandbox

import "os"

// personID is empty where temporary folders are each person's own.
func personID() string { return "own" }

func checkOwn(string) error { return nil }

// openSlot makes a folder of its own beside dir, as there is no lock to tell
// whether dir is in use. What a dead process left there stays.
func openSlot(dir string) (*slot, error) {
	own, err := os.MkdirTemp("", "emend-scratch-")
	if err != nil {
		return nil, err
	}
	return &slot{dir: own}, nil
}
