package main

import (
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/git"
)

// paths takes paths that the user types.
func (a *app) paths() folder.Typed {
	suite, _ := generator.FindSuite(a.work)
	return folder.Typed{Work: a.work, Around: []string{git.Root(a.work), suite}, Home: a.home, Config: a.configDir()}
}

// typed makes a typed path absolute. in is the checkout or suite that writing must
// not leave, "" for none.
func (a *app) typed(path string) (absolute, in string, err error) { return a.paths().Path(path) }

// typedFile is typed for a file to write; own is one of the user's own.
func (a *app) typedFile(path string, own bool) (absolute, in string, err error) {
	return a.paths().File(path, own)
}
