package git_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/cameronsjo/springfield/internal/git"
)

// A fetchable URL has no secrets and starts no program of a client.
func TestFetchableURL(t *testing.T) {
	for remote, want := range map[string]string{
		"https://u:p@git.example.invalid/o/r.git":           "https://git.example.invalid/o/r.git",
		"https://token@git.example.invalid/o/r.git":         "https://git.example.invalid/o/r.git",
		"https://git.example.invalid/o/r.git?token=x":       "https://git.example.invalid/o/r.git",
		"https://git.example.invalid/o/r.git#x":             "https://git.example.invalid/o/r.git",
		"ssh://git:secret@git.example.invalid:2222/o/r.git": "ssh://git@git.example.invalid:2222/o/r.git",
		"ssh://git.example.invalid/o/r.git":                 "ssh://git.example.invalid/o/r.git",
		"git@git.example.invalid:o/r.git":                   "git@git.example.invalid:o/r.git",
		"git@git.example.invalid:/srv/r.git":                "git@git.example.invalid:/srv/r.git",
		"git@github.com:o/r.git":                            "https://github.com/o/r.git",
		"git@github.com:/o/r.git":                           "https://github.com/o/r.git",
		"https://u:p@github.com/o/r":                        "https://github.com/o/r",
		"ssh://git@github.com/o/r.git":                      "https://github.com/o/r.git",
		"ssh://git@github.com:22/o/r.git":                   "https://github.com/o/r.git",
		"ext::sh -c x":                                      "",
		"fd::7":                                             "",
		"-oProxyCommand=x:o/r":                              "",
		"ssh://-oProxyCommand=x/o/r":                        "",
		"git://git.example.invalid/o/r":                     "",
		"file:///srv/r.git":                                 "",
		"/srv/r.git":                                        "",
		"../r.git":                                          "",
		`C:\srv\r.git`:                                      "",
		"C:/srv/r.git":                                      "",
		`\\server\share\r.git`:                              "",
		"git@git.example.invalid:o/r\x1b[2J":                "",
		"https://git.example.invalid/o\nr":                  "",
		"u:p@git.example.invalid:o/r":                       "",
		"":                                                  "",
	} {
		if got, ok := git.FetchableURL(remote); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", remote, got, ok, want)
		}
	}
}

func FuzzFetchableURL(f *testing.F) {
	for _, remote := range []string{"https://u:p@h.invalid/o/r.git", "git@h.invalid:o/r", "ssh://u:p@h.invalid/o/r", "ext::sh -c x", "C:\\x"} {
		f.Add(remote)
	}
	f.Fuzz(func(t *testing.T, remote string) {
		where, ok := git.FetchableURL(remote)
		if !ok {
			return
		}
		again, ok := git.FetchableURL(where)
		if !ok || again != where {
			t.Errorf("%q is %q, which is %q, %v", remote, where, again, ok)
		}
		helper, _, _ := strings.Cut(where, "::") // git runs git-remote-HELPER
		if helper != where && !strings.ContainsAny(helper, ":/@") || strings.HasPrefix(where, "-") || strings.ContainsFunc(where, unicode.IsControl) {
			t.Errorf("%q is %q", remote, where)
		}
		if !git.SameRepository(remote, where) {
			t.Errorf("%q is another repository than %q", remote, where)
		}
	})
}
