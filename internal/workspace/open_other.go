//go:build !unix

package workspace

// openNonblock is for systems where opening a file may wait; here it does not.
const openNonblock = 0
