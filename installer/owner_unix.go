//go:build unix

package installer

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives temp the owner of the file it will replace, if there is one. Root must
// succeed, or a user run under sudo would lose the file to root; anybody else
// can at most keep a group they are in.
func keepOwner(temp *os.File, old fs.FileInfo) error {
	if old == nil {
		return nil
	}
	made, err := temp.Stat()
	if err != nil {
		return err
	}
	was, known := old.Sys().(*syscall.Stat_t)
	is, alsoKnown := made.Sys().(*syscall.Stat_t)
	if !known || !alsoKnown || was.Uid == is.Uid && was.Gid == is.Gid {
		return nil
	}
	if os.Geteuid() == 0 {
		return temp.Chown(int(was.Uid), int(was.Gid))
	}
	_ = temp.Chown(-1, int(was.Gid))
	return nil
}
