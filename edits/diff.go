package edits

// Diff returns the smallest set found that turns before into after.
func Diff(before, after string) Set { panic("todo") }
