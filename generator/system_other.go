//go:build !unix

package generator

import "io/fs"

// isOnlyOurs cannot be asked here; the key decides.
func isOnlyOurs(fs.FileInfo) bool { return true }
