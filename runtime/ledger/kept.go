package ledger

import "path/filepath"

// Files returns the files in a state directory, but not those for a single session. Any of them changes when a
// session begins, or for an order or a hold.
func Files(dir string) []string {
	return []string{
		indexOf(dir).path, filepath.Join(dir, awayName), awayLines(dir).path, holdFile(dir, ""), holdLines(dir).path,
		filepath.Join(dir, "sessions"),
	}
}
