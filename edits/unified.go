package edits

// Unified returns the change as a unified diff with the given lines of context.
func Unified(oldPath, newPath, before, after string, context int) string { panic("todo") }

// ParseUnified reads a unified diff into blocks.
func ParseUnified(s string) ([]Block, error) { panic("todo") }
