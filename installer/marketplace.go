package installer

// What Claude Code knows of marketplaces, and how it gets to know one.
//
// The client registers a directory for everybody, and leaves user settings
// alone, when it is asked to do so in local scope from a directory that is
// thrown away afterwards; its other ways re-serialise the user's settings file.
// Without the client, user settings can declare the directory.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// registerPatience bounds one call of the client, which takes about a second.
const registerPatience = 60 * time.Second

// ConflictError says that a marketplace name already means something else. The
// client would take the name away from it without a word.
type ConflictError struct{ Name, Known, Wanted string }

func (e *ConflictError) Error() string {
	return fmt.Sprintf("Claude Code knows marketplace %q as %s, not as %s", e.Name, e.Known, e.Wanted)
}

// source is where a marketplace comes from.
type source struct {
	Source string `json:"source"`
	Path   string `json:"path,omitempty"`
	Repo   string `json:"repo,omitempty"`
	URL    string `json:"url,omitempty"`
}

func (s source) String() string {
	for _, place := range []string{s.Path, s.Repo, s.URL} {
		if place != "" {
			return s.Source + " " + place
		}
	}
	return "another source"
}

// isDirectory tells whether the source is this directory.
func (s source) isDirectory(dir string) bool {
	if s.Source != "directory" {
		return false
	}
	if filepath.Clean(s.Path) == filepath.Clean(dir) {
		return true
	}
	a, errA := os.Stat(s.Path)
	b, errB := os.Stat(dir)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// known reads the client's own record: marketplace name to source.
func (p Places) known() (map[string]source, error) {
	file, err := Open(filepath.Join(p.Plugins, "known_marketplaces.json"))
	if err != nil {
		return nil, fmt.Errorf("read known marketplaces: %w", err)
	}
	if !file.Exists {
		return nil, nil
	}
	var record map[string]struct {
		Source source `json:"source"`
	}
	if err := json.Unmarshal(file.Data, &record); err != nil {
		return nil, fmt.Errorf("read known marketplaces: %s: %w", file.Asked, err)
	}
	all := map[string]source{}
	for name, entry := range record {
		all[name] = entry.Source
	}
	return all, nil
}

// IsRegistered tells whether the client knows a marketplace as this directory,
// and refuses a name that it knows as something else.
func IsRegistered(p Places, name, dir string) (bool, error) {
	all, err := p.known()
	if err != nil {
		return false, err
	}
	s, ok := all[name]
	if !ok {
		return false, nil
	}
	if !s.isDirectory(dir) {
		return false, &ConflictError{name, s.String(), dir}
	}
	return true, nil
}

// Client is the claude command.
type Client struct{ Command string }

// Register makes a directory known as a marketplace and believes only the
// client's own record that it is.
func (c Client) Register(ctx context.Context, p Places, name, dir string) (err error) {
	throwaway, err := os.MkdirTemp("", "springfield-register-")
	if err != nil {
		return fmt.Errorf("register marketplace: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	ctx, cancel := context.WithTimeout(ctx, registerPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Command, "plugin", "marketplace", "add", dir, "--scope", "local")
	cmd.Dir = throwaway
	cmd.WaitDelay = time.Second // a child that keeps the pipe must not keep us
	out, runErr := cmd.CombinedOutput()
	if registered, err := IsRegistered(p, name, dir); err != nil || registered {
		return err
	}
	if runErr == nil {
		runErr = errors.New("it is not in the client's records afterwards")
	}
	return fmt.Errorf("register marketplace: claude plugin marketplace add: %w %s", runErr, strings.TrimSpace(lastLine(out)))
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}
