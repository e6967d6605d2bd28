package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TrialPlace is the host in an empty directory that is thrown away by done. What the host's
// commands do there, nothing else sees. It is how a plan asks the host itself. A host
// without a variable for its directory has no trial.
func (p Place) TrialPlace() (trial Place, done func() error, err error) {
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
	if err := os.MkdirAll(trial.Dir, 0o700); err != nil {
		return p, nil, errors.Join(err, done())
	}
	return trial, done, nil
}

// RunCommands calls the host's program for one command after the other, and ends with the first
// that fails.
func (p Place) RunCommands(ctx context.Context, dir string, commands [][]string) error {
	for _, args := range commands {
		if err := p.runProgram(ctx, dir, args...); err != nil {
			return err
		}
	}
	return nil
}
