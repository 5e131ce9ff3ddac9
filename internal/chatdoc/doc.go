// Package chatdoc keeps the documents that emend makes for people to read, all
// of them under the folder .emend of a root.
//
// Start at [WriteReview]. These documents are emend's own: they are written to
// the disk directly, they are left out of version control by a .gitignore
// beside them, and they can always be made again from the store. A root may
// come from anybody, so nothing here follows a symbolic link. The package may
// not know LSP or models.
package chatdoc
