package rooted

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Typed takes paths that the user types. Their links are the user's own, except in
// the checkout or suite in which the user stands: what lies there may have come with
// it, and `hooks` may be a link to somewhere in the home. All paths are absolute.
type Typed struct {
	Work   string   // what relative paths are relative to
	Around []string // the checkout and the suite around Work, "" for none
	Home   string   // the user's home, "" if unknown
	Config string   // Claude Code's configuration directory, "" if unknown
}

// groundOf is the checkout or the suite around Work, else Work itself. It is "" where
// that is the user's own: a home, what holds it, or the configuration directory.
func (t Typed) groundOf() string {
	ground := t.Work
	for _, around := range t.Around {
		if around != "" && len(around) < len(ground) {
			ground = around
		}
	}
	if t.Home != "" {
		if _, holds, err := NameWithin(ground, t.Home); holds || err != nil {
			return ""
		}
	}
	if name, holds, err := NameWithin(ground, t.Config); holds && name == "." || err != nil {
		return ""
	}
	return ground
}

// Absolute makes a typed path absolute, and refuses a link in the ground. in is the
// ground if the path lies there: writing must not leave it.
func (t Typed) Absolute(path string) (absolute, in string, err error) {
	absolute = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		absolute = filepath.Join(t.Work, path)
	}
	ground := t.groundOf()
	if ground == "" || filepath.Dir(absolute) == t.Config {
		return absolute, "", nil
	}
	name, inside, err := NameWithin(ground, absolute)
	var link *LinkError
	switch {
	case errors.As(err, &link):
		link.Typed = true
		return "", "", link
	case err != nil:
		return "", "", fmt.Errorf("look at %s: %w", absolute, err)
	case inside:
		return filepath.Join(ground, name), ground, nil
	}
	return absolute, "", nil
}

// FilePath is Path for a file to write. No write goes through a link in its place
// either, but for the user's own files, which may be links to where they are kept.
func (t Typed) FilePath(path string, own bool) (absolute, in string, err error) {
	if absolute, in, err = t.Absolute(path); err != nil {
		return "", "", err
	}
	if own && in == "" && (filepath.Dir(absolute) == t.Config || t.Home != "" && HoldsPath(t.Home, absolute)) {
		return absolute, in, nil
	}
	if target, err := os.Readlink(absolute); err == nil {
		return "", "", &LinkError{absolute, target, true}
	}
	return absolute, in, nil
}
