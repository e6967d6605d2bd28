package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cameronsjo/springfield/change"
)

// Trial is the host in a directory that is thrown away by done: its own, with copies of
// files of the user's, named relative to the user's directory. What the host's commands
// do there, nobody else sees. It is how a plan asks the host itself. A host without a
// variable for its directory has no trial.
func (p Place) Trial(files ...string) (trial Place, done func() error, err error) {
	if p.Host.Variable == "" {
		return p, nil, fmt.Errorf("%s has no other directory", p.Host.Title)
	}
	above, err := os.MkdirTemp("", "springfield-host-")
	if err != nil {
		return p, nil, err
	}
	done = func() error { return os.RemoveAll(above) }
	trial = p
	trial.Dir = filepath.Join(above, p.Host.Dir)
	names := trial.Dir
	if p.Host.Above {
		names = above
	}
	trial.Env = append(append([]string{}, p.Env...), p.Host.Variable+"="+names)
	err = os.MkdirAll(trial.Dir, 0o700)
	for _, name := range files {
		if err == nil {
			err = copied(filepath.Join(p.Dir, name), filepath.Join(trial.Dir, name))
		}
	}
	if err != nil {
		return p, nil, errors.Join(err, done())
	}
	return trial, done, nil
}

// copied copies a file that may be missing.
func copied(from, to string) error {
	file, err := change.Open("", from)
	if err != nil || file.Before == nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, file.Before.Data, 0o600)
}

// RunAll calls the host's program for one command after the other, and ends with the first
// that fails.
func (p Place) RunAll(ctx context.Context, dir string, commands [][]string) error {
	for _, args := range commands {
		if _, err := p.Run(ctx, dir, nil, args...); err != nil {
			return err
		}
	}
	return nil
}
