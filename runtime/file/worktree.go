package file

import (
	"path/filepath"
	"strings"
)

// LinkedWorktree returns the git directory named by a linked worktree's .git file, and the shared one, both "" for
// other files. A project can name any directory in it.
func LinkedWorktree(dotGit string) (own, common string) {
	at := func(dir, path string) string {
		if path = strings.TrimSpace(path); !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path
	}
	data, err := ReadRegular(dotGit, 4<<10)
	named, ok := strings.CutPrefix(string(data), "gitdir:")
	if err != nil || !ok {
		return "", ""
	}
	own = at(filepath.Dir(dotGit), named)
	if data, err = ReadRegular(filepath.Join(own, "commondir"), 4<<10); err != nil {
		return "", ""
	}
	return own, at(own, string(data))
}
