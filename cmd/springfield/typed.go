package main

import (
	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/git"
	"github.com/cameronsjo/springfield/internal/rooted"
)

func (a *app) typedPaths() rooted.Typed {
	suite, _ := generator.FindSuite(a.work)
	return rooted.Typed{Work: a.work, Around: []string{git.RepositoryRoot(a.work), suite}, Home: a.home, Config: a.configDir()}
}

// absolutePath makes a typed path absolute. in is the checkout or suite that writing must
// not leave, "" for none.
func (a *app) absolutePath(path string) (absolute, in string, err error) {
	return a.typedPaths().Absolute(path)
}

// typedFile is typed for a file to write; own is one of the user's own.
func (a *app) typedFile(path string, own bool) (absolute, in string, err error) {
	return a.typedPaths().FilePath(path, own)
}
