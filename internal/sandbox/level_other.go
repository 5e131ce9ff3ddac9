//go:build !linux

package sandbox

import "runtime"

func probe() Support {
	return Support{Level: None, Notes: []string{
		"there is no confinement on " + runtime.GOOS + " yet: commands run in a scratch copy and nothing stops them from writing elsewhere by absolute path",
	}}
}
