// Package index knows which files a workspace has, finds them by name, and
// searches their text.
//
// Start at [New]. [Index.Files] walks the roots by git's rules for what to
// leave out, once; afterwards only what [Index.Invalidate] names is looked at
// again. Symbolic links are never followed, neither in walking nor in reading.
// The package may not know models or how its answers are ranked for a request.
package index
