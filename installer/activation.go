// Package installer switches plugins on and off for Claude Code: it finds the plugin
// that a name means, looks whether it could run, has the claude command register or
// fetch what is missing, and edits settings.
package installer

import (
	"fmt"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/git"
)

// Means are what switching needs beside the request.
type Means struct {
	Settings *settings.Settings
	User     hosts.User     // whose other hosts they are
	Claude   client.Command // without a path where there is none
	Git      git.Git
	Tell     func(format string, args ...any) // what is being done, and what is skipped
}

// PassedOverError says that there is nothing to do on one host. Where all hosts are meant,
// the others are no less.
type PassedOverError struct{ error }

func (e *PassedOverError) Unwrap() error { return e.error }

func failWith(advice, format string, args ...any) error {
	return check.Advise(fmt.Errorf(format, args...), advice)
}

func misusef(advice, format string, args ...any) error {
	return check.Misuse(fmt.Errorf(format, args...), advice)
}
