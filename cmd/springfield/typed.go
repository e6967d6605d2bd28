// Paths that a person has typed. Their links are the person's own, except in the
// checkout or suite that they stand in: what lies there may have come with it, and
// `hooks` may be a link to somewhere in the home.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
)

// typedError says that a typed path goes through a link that is not followed.
type typedError struct{ link *folder.LinkError }

func (e *typedError) Error() string { return e.link.Error() + ", which is not followed" }
func (e *typedError) Unwrap() error { return e.link }

func (e *typedError) hint() string {
	real, err := filepath.EvalSymlinks(e.link.Path)
	if err != nil {
		return "it leads nowhere: remove it, or name another place"
	}
	return "if you mean where it leads, name that: " + quoted(real)
}

// ground is the checkout or the suite around the working directory, else that
// itself. It is "" where that is the user's own: a home, what holds it, or the
// configuration directory.
func (a *app) ground() string {
	ground := a.work
	suite, _ := generator.FindSuite(a.work)
	for _, around := range []string{git.Root(a.work), suite} {
		if around != "" && len(around) < len(ground) {
			ground = around
		}
	}
	if a.home != "" {
		if _, holds, err := folder.Within(ground, a.home); holds || err != nil {
			return ""
		}
	}
	if name, holds, err := folder.Within(ground, a.configDir()); holds && name == "." || err != nil {
		return ""
	}
	return ground
}

// typed makes a typed path absolute, and refuses a link in the ground. in is the
// ground if the path lies there: writing must not leave it.
func (a *app) typed(path string) (absolute, in string, err error) {
	absolute = a.absolute(path)
	ground := a.ground()
	if ground == "" || filepath.Dir(absolute) == a.configDir() {
		return absolute, "", nil
	}
	name, inside, err := folder.Within(ground, absolute)
	var link *folder.LinkError
	switch {
	case errors.As(err, &link):
		return "", "", &typedError{link}
	case err != nil:
		return "", "", fmt.Errorf("look at %s: %w", absolute, err)
	case inside:
		return filepath.Join(ground, name), ground, nil
	}
	return absolute, "", nil
}

// typedFile is typed for a file to write. No write goes through a link in its
// place either, but for a person's own files, which may be links to where they
// keep them.
func (a *app) typedFile(path string, own bool) (absolute, in string, err error) {
	if absolute, in, err = a.typed(path); err != nil {
		return "", "", err
	}
	if own && in == "" && (filepath.Dir(absolute) == a.configDir() || a.home != "" && folder.Holds(a.home, absolute)) {
		return absolute, in, nil
	}
	if target, err := os.Readlink(absolute); err == nil {
		return "", "", &typedError{&folder.LinkError{Path: absolute, Target: target}}
	}
	return absolute, in, nil
}

// refuseLink refuses a name in a directory that is a link, or lies behind one.
func refuseLink(dir, name string) error {
	in, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return in.Check(name)
}
