package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// ReadTree maps relative paths to a file's text or a link's target. Directories end in a slash and map to "", other
// files to their type.
func ReadTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	walkIfThere(t, dir, func(path string, d fs.DirEntry) error {
		name, err := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		switch {
		case err != nil || name == ".":
		case d.IsDir():
			all[name+"/"] = ""
		case d.Type()&fs.ModeSymlink != 0:
			all[name], err = os.Readlink(path)
		case d.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			all[name] = string(data)
		default:
			all[name] = d.Type().String()
		}
		return err
	})
	return all
}

// ListFiles returns the sorted paths of all files below dir, which need not exist.
func ListFiles(t testing.TB, dir string) (fullPaths []string) {
	t.Helper()
	walkIfThere(t, dir, func(path string, d fs.DirEntry) error {
		if !d.IsDir() {
			fullPaths = append(fullPaths, path)
		}
		return nil
	})
	return fullPaths
}

func walkIfThere(t testing.TB, dir string, visit func(path string, d fs.DirEntry) error) {
	t.Helper()
	Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case d == nil && errors.Is(err, fs.ErrNotExist): // dir itself
			return nil
		case err != nil:
			return err
		}
		return visit(path, d)
	}))
}
