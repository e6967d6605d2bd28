package ledger

import "path/filepath"

// Files returns the files of a state directory, except those of single sessions. One of them changes when a
// session begins, or with an order or a hold.
func Files(dir string) []string {
	return []string{
		indexOf(dir).path, filepath.Join(dir, awayName), awayLines(dir).path, holdFile(dir, ""), holdLines(dir).path,
		filepath.Join(dir, "sessions"),
	}
}
