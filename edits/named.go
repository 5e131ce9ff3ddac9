package edits

// Named returns the reply's blocks with the paths of the files they mean where
// one of the known files is meant, and as they are written elsewhere. A block
// without a path is for current. Nothing is read.
func (r Reply) Named(files Files, current string) []Block {
	res := newResolver(files, current)
	out := make([]Block, len(r.Blocks))
	for i, b := range r.Blocks {
		if name := res.find(b.Path, false); name != "" {
			b.Path = name
		}
		if b.Path == "" {
			b.Path = current
		}
		out[i] = b
	}
	return out
}
