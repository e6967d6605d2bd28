package ledger

import "path/filepath"

// Files returns the files in a state directory that belong to no single session. At least one changes when a
// session begins, or when an order or a hold changes.
func Files(dir string) []string {
	return []string{
		indexOf(dir).path, filepath.Join(dir, awayName), awayLines(dir).path, holdFile(dir, ""), holdLines(dir).path,
		filepath.Join(dir, "sessions"),
	}
}
