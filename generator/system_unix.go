//go:build unix

package generator

import (
	"io/fs"
	"os"
	"syscall"
)

// isOnlyOurs tells whether a file is the user's, and no other user can write it.
func isOnlyOurs(info fs.FileInfo) bool {
	owner, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid() && info.Mode().Perm()&0o022 == 0
}
