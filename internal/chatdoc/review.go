package chatdoc

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Names of the folders, and what keeps their documents out of version control.
const (
	ownFolder    = ".emend"
	reviewFolder = "review"
	ignoreFile   = ".gitignore"
	ignoreAll    = "*\n"
)

// ErrUnsafe is returned when .emend or a folder in it is not a folder of the
// root itself, but a symbolic link or a file.
var ErrUnsafe = errors.New("not a folder of its own")

// ErrBadID is returned for an id that cannot be part of a file name.
var ErrBadID = errors.New("bad id")

// WriteReview writes the unified diff of the proposal with this id to
// .emend/review/<id>.diff under root, for an editor to show, and returns the
// file's name. It makes the folders where they are missing. A reader sees the
// whole old document or the whole new one. It returns ErrUnsafe when .emend or
// .emend/review is a symbolic link, ErrBadID for an id with anything but
// letters, digits, '-', '_' and '.', and an error of the disk otherwise, all
// wrapped. It is safe for concurrent use, by several processes too.
func WriteReview(root, id, diff string) (path string, err error) {
	if err := checkID(id); err != nil {
		return "", fmt.Errorf("writing the diff of proposal %q: %w", id, err)
	}
	dir, err := openFolder(root, true, ownFolder, reviewFolder)
	if err != nil {
		return "", fmt.Errorf("writing the diff of proposal %s: %w", id, err)
	}
	defer closeInto(dir, &err)
	if err := ignoreOwn(dir); err != nil {
		return "", fmt.Errorf("writing the diff of proposal %s: %w", id, err)
	}
	if err := replace(dir, reviewName(id), []byte(diff)); err != nil {
		return "", fmt.Errorf("writing the diff of proposal %s: %w", id, err)
	}
	return ReviewPath(root, id), nil
}

// ReviewPath returns the name of the file that WriteReview writes. It does not
// look at the disk.
func ReviewPath(root, id string) string {
	return filepath.Join(root, ownFolder, reviewFolder, reviewName(id))
}

// RemoveReview removes what WriteReview wrote. It is no error when there is
// nothing to remove. It returns ErrUnsafe and ErrBadID as WriteReview does.
func RemoveReview(root, id string) (err error) {
	if err := checkID(id); err != nil {
		return fmt.Errorf("removing the diff of proposal %q: %w", id, err)
	}
	dir, err := openFolder(root, false, ownFolder, reviewFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("removing the diff of proposal %s: %w", id, err)
	}
	defer closeInto(dir, &err)
	if err := dir.Remove(reviewName(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the diff of proposal %s: %w", id, err)
	}
	return nil
}

func reviewName(id string) string { return id + ".diff" }

// checkID refuses an id that is not a plain part of a file name everywhere.
func checkID(id string) error {
	const longest = 100
	if id == "" || len(id) > longest || id[0] == '.' || !filepath.IsLocal(reviewName(id)) {
		return ErrBadID
	}
	for _, r := range id {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
		default:
			return ErrBadID
		}
	}
	return nil
}
