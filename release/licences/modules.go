package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A module is compiled into the CLI, all of it or a few packages.
type module struct {
	name, version string
	root          string   // its directory
	packages      []string // directories of the packages that are compiled
}

// modulesOf lists the modules that a command needs on any target, by name, with Go itself before them. The module
// that the command belongs to is not among them.
func modulesOf(dir, command string, targets []string) ([]module, error) {
	found := map[string]*module{}
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return nil, fmt.Errorf("%q is not a target, like linux/amd64", target)
		}
		out, err := goCommand(dir, []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch}, "list", "-deps", "-json=Dir,Module", command)
		if err != nil {
			return nil, err
		}
		if err := collect(found, out); err != nil {
			return nil, err
		}
	}
	out, err := goCommand(dir, nil, "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	modules := []module{{name: "Go, its standard library and runtime", version: version, root: root}}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		m := found[name]
		slices.Sort(m.packages)
		m.packages = slices.Compact(m.packages)
		modules = append(modules, *m)
	}
	return modules, nil
}

// collect adds what one run of go list has printed: the modules of packages, without those of the standard
// library, which have none, and without the main module.
func collect(found map[string]*module, listed []byte) error {
	for d := json.NewDecoder(bytes.NewReader(listed)); ; {
		type origin struct {
			Path, Version, Dir string
			Main               bool
		}
		var p struct {
			Dir    string
			Module *struct {
				origin
				Replace *origin
			}
		}
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what go list has printed: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue
		}
		m := found[p.Module.Path]
		if m == nil {
			m = &module{name: p.Module.Path, version: p.Module.Version, root: p.Module.Dir}
			if r := p.Module.Replace; r != nil {
				m.version, m.root = cmp.Or(r.Version, m.version), r.Dir
			}
			found[p.Module.Path] = m
		}
		m.packages = append(m.packages, p.Dir)
	}
}

// goCommand runs go, which has to find everything in its module cache.
func goCommand(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// directories are those in which a module may have licences: its root, and every directory on the way to a package
// that is compiled.
func (m module) directories() []string {
	all := []string{m.root}
	for _, dir := range m.packages {
		for ; dir != m.root && len(dir) > len(m.root); dir = filepath.Dir(dir) {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
