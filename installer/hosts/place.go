package hosts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/group"
	"github.com/cameronsjo/springfield/internal/rooted"
)

// User is whose hosts they are.
type User struct {
	Home string // "" if unknown
	Work string // where sessions start
	Root string // the repository around Work, or Work itself
	Env  []string
	// Look finds a program on PATH, "" where there is none.
	Look func(program string) string
}

// Place is where one host is for one user.
type Place struct {
	User
	Host    Host
	Dir     string // its directory, absolute; "" if there is no home
	Program string // absolute; "" where there is none
}

// PlaceFor is where a host is for a user.
func (h Host) PlaceFor(u User) Place {
	p := Place{User: u, Host: h, Program: u.Look(h.Name)}
	switch named := u.environmentVariable(h.Variable); {
	case named != "":
		p.Dir = rooted.PathFrom(u.Work, named)
		if h.Above {
			p.Dir = filepath.Join(p.Dir, h.Dir)
		}
	case u.Home != "":
		p.Dir = filepath.Join(u.Home, h.Dir)
	}
	return p
}

// environmentVariable is a variable of the environment, "" if it is not set.
func (u User) environmentVariable(name string) string {
	for _, line := range slices.Backward(u.Env) {
		if key, value, _ := strings.Cut(line, "="); key == name && name != "" {
			return value
		}
	}
	return ""
}

// IsFound tells whether the host is there: its program is on PATH, or its directory has been
// used.
func (p Place) IsFound() bool { return p.Program != "" || p.IsUsed() }

// IsUsed tells whether a session of the host has left something in its directory.
// Springfield's own state in it does not count.
func (p Place) IsUsed() bool {
	return p.Dir != "" && slices.ContainsFunc(p.Host.Traces, func(name string) bool { return rooted.IsTaken(filepath.Join(p.Dir, name)) })
}

// HostsFound lists the hosts that are there, in their order.
func HostsFound(u User) []Host {
	return slices.DeleteFunc(AllHosts(), func(h Host) bool { return !h.PlaceFor(u).IsFound() })
}

// SettingsFile is the host's settings file.
func (p Place) SettingsFile() string { return filepath.Join(p.Dir, p.Host.Settings.File) }

// TrialPlace is the host in an empty directory that is thrown away by done. What the host's
// commands do there, nothing else sees. It is how a plan asks the host itself.
func (p Place) TrialPlace() (trial Place, done func() error, err error) {
	trial = p
	trial.Dir, err = os.MkdirTemp("", "springfield-host-")
	trial.Env = append(slices.Clone(p.Env), p.Host.Variable+"="+trial.Dir)
	return trial, func() error { return os.RemoveAll(trial.Dir) }, err
}

// RunCommands calls the host's program for one command after the other, and ends with the first
// that fails.
func (p Place) RunCommands(ctx context.Context, commands [][]string) error {
	for _, args := range commands {
		if err := p.runProgram(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// patience bounds one call of a host's command.
const patience = 60 * time.Second

// runProgram calls the host's program in an empty directory of its own, so that no project's
// settings take part.
func (p Place) runProgram(ctx context.Context, args ...string) (err error) {
	if p.Program == "" {
		return fmt.Errorf("there is no %s command", p.Host.Name)
	}
	dir, err := os.MkdirTemp("", "springfield-host-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Program, args...)
	cmd.Dir, cmd.Env = dir, p.Env
	cmd.WaitDelay = time.Second // a child that keeps the pipe must not keep us
	group.EndTogether(cmd)
	said := &outputEnd{}
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	return client.CallError(p.Host.Name+" "+strings.Join(args, " "), *said, err, ctx.Err(), patience)
}

// outputEnd is the end of what a program prints, which says what was wrong.
type outputEnd []byte

// maxEnding bounds it, in bytes.
const maxEnding = 64 << 10

func (e *outputEnd) Write(data []byte) (int, error) {
	*e = append(*e, data...)
	if over := len(*e) - maxEnding; over > 0 {
		*e = append((*e)[:0], (*e)[over:]...)
	}
	return len(data), nil
}
