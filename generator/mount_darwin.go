package generator

import "golang.org/x/sys/unix"

// isNoExec reports whether a directory's file system is mounted noexec.
func isNoExec(dir string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(dir, &stat) == nil && stat.Flags&unix.MNT_NOEXEC != 0
}
