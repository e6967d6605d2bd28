package workspace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNearest(t *testing.T) {
	marks := []string{".claude/state.json", ".ledger/"}
	for name, test := range map[string]struct {
		there []string // directories end in a slash
		dir   string
		want  string
		mark  bool
	}{
		"no repository":            {[]string{".ledger/", "a/b/"}, "a/b", "a/b", false},
		"no repository, a mark":    {[]string{".ledger/", "a/b/.ledger/"}, "a/b", "a/b", true},
		"below the top":            {[]string{"a/.git/", "a/b/c/"}, "a/b/c", "a", false},
		"a mark on the way":        {[]string{"a/.git/", "a/b/.claude/state.json", "a/b/c/"}, "a/b/c", "a/b", true},
		"a mark here":              {[]string{"a/.git/", "a/.ledger/", "a/b/.ledger/"}, "a/b", "a/b", true},
		"a mark above the top":     {[]string{".ledger/", "a/.git/", "a/b/"}, "a/b", "a", false},
		"a worktree's .git":        {[]string{".git/", "a/.git", "a/b/"}, "a/b", "a", false},
		"the home is a repository": {[]string{"home/.git/", "home/.ledger/", "home/x/"}, "home/x", "home/x", false},
		"a repository in the home": {[]string{"home/.git/", "home/x/.git/", "home/x/y/"}, "home/x/y", "home/x", false},
		"a directory that is gone": {[]string{"a/.git/"}, "a/gone/b", "a", false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, path := range test.there {
				full := filepath.Join(root, filepath.FromSlash(path))
				must(t, os.MkdirAll(filepath.Dir(full), 0o755))
				var err error
				if path[len(path)-1] == '/' {
					err = os.MkdirAll(full, 0o755)
				} else {
					err = os.WriteFile(full, nil, 0o600)
				}
				must(t, err)
			}
			got := Nearest(filepath.Join(root, filepath.FromSlash(test.dir)), marks, filepath.Join(root, "home"))
			if want := filepath.Join(root, filepath.FromSlash(test.want)); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if got := HasMark(filepath.Join(root, filepath.FromSlash(test.dir)), marks, filepath.Join(root, "home")); got != test.mark {
				t.Errorf("has a mark: %v", got)
			}
			if got := Nearest(filepath.Join(root, filepath.FromSlash(test.dir)), nil, ""); got != filepath.Join(root, filepath.FromSlash(test.dir)) {
				t.Errorf("without marks %s", got)
			}
		})
	}
}
