//go:build !unix

package index

// openFlags is for systems where opening a file may wait; here it does not.
const openFlags = 0
