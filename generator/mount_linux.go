package generator

import "syscall"

// isNoExec reports whether a directory's file system is mounted noexec.
func isNoExec(dir string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(dir, &stat) == nil && stat.Flags&syscall.MS_NOEXEC != 0
}
