package publish

import (
	"testing"
)

func TestToAdd(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/o/r.git":               "o/r",
		"https://github.com/o/r":                   "o/r",
		"https://github.com/o/r/":                  "o/r",
		"git@github.com:o/r.git":                   "o/r",
		"ssh://git@github.com/o/r.git":             "o/r",
		"https://git.example.invalid/o/r":          "https://git.example.invalid/o/r.git",
		"https://git.example.invalid/o/r/":         "https://git.example.invalid/o/r.git",
		"https://u:p@git.example.invalid/o/r.git":  "https://git.example.invalid/o/r.git",
		"git@git.example.invalid:o/r.git":          "git@git.example.invalid:o/r.git",
		"ssh://git@git.example.invalid/o/r.git":    "git@git.example.invalid:o/r.git",
		"ssh://git.example.invalid/o/r.git":        "git@git.example.invalid:o/r.git",
		"ssh://git@git.example.invalid:22/o/r.git": "",
		"/srv/git/r.git":                           "",
		"file:///srv/git/r.git":                    "",
		"../r":                                     "",
		"":                                         "",
	} {
		if got := commandToAdd(remote); got != want {
			t.Errorf("%q: %q, want %q", remote, got, want)
		}
	}
}
