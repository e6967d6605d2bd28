// Package registry lists all strategies and hosts. `make generate` makes the lists from the folders.
package registry

import (
	"bufio"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

func StrategyNamed(name string) (strategy.Strategy, bool) {
	for _, s := range Strategies {
		if s.Name == name {
			return *s, true
		}
	}
	return strategy.Strategy{}, false
}

func StrategyNames() (names []string) {
	for _, s := range Strategies {
		names = append(names, s.Name)
	}
	return names
}

// Default returns the name of the default strategy.
func Default() string {
	for _, s := range Strategies {
		if s.Default {
			return s.Name
		}
	}
	return ""
}

// HostNamed returns the host with this name. "" is the default host.
func HostNamed(name string) (h *host.Host, ok bool) {
	for _, h := range Hosts {
		if h.Name == name || name == "" && h.Default {
			return h, true
		}
	}
	return nil, false
}

// DefaultHost returns the default host, which is Claude Code.
func DefaultHost() *host.Host {
	h, _ := HostNamed("")
	return h
}

// How much ReadLogHost reads.
const (
	ownLines = 20
	maxOwn   = 1 << 20
)

// ReadLogHost returns the host recognising any of a log's first lines, or the default host.
func ReadLogHost(path string) (hostOrDefault *host.Host) {
	f, _, err := file.OpenRegular(path, 0)
	if err != nil {
		return DefaultHost()
	}
	defer f.Close()
	lines := bufio.NewReader(io.LimitReader(f, maxOwn))
	for n := 0; n < ownLines && err == nil; n++ {
		var line []byte
		line, err = lines.ReadBytes('\n')
		for _, h := range Hosts {
			if !h.Default && h.Log.Owns != nil && h.Log.Owns(line) {
				return h
			}
		}
		// It comes last: a host that imitates it writes similar lines.
		if DefaultHost().Log.Owns(line) {
			break
		}
	}
	return DefaultHost()
}

// CallingHost returns the host whose agent started this program, and the session if known. For a person, it returns
// nil, but possibly the session of the default host's variable. If one agent runs in the other's shell, it can return
// either.
func CallingHost(getenv func(string) string) (h *host.Host, session string) {
	for _, h := range Hosts {
		session := ""
		if h.SessionVariable != "" {
			session = getenv(h.SessionVariable)
		}
		for _, name := range h.Inside {
			if getenv(name) != "" {
				return h, session
			}
		}
	}
	return nil, getenv(DefaultHost().SessionVariable)
}

var scriptRunners = []string{"node", "bun", "deno"}

// HostOfProgram returns the host run by this process, or nil. For script runners (node), the script counts too.
func HostOfProgram(exe, name string, argv []string) *host.Host {
	first := min(len(argv), 1)
	names := append([]string{name, exe}, argv[:first]...)
	runs := slices.ContainsFunc(names, func(name string) bool { return slices.Contains(scriptRunners, programBase(name)) })
	for _, arg := range argv[first:] {
		if runs && !strings.HasPrefix(arg, "-") { // the script
			names = append(names, arg)
			break
		}
	}
	for _, h := range Hosts {
		for _, name := range names {
			name = strings.ReplaceAll(name, `\`, "/")
			installed, version := path.Split(name) // …/claude/versions/2.1.330
			versions := version != "" && strings.HasSuffix(installed, "/"+h.Program+"/versions/")
			packaged := h.Package != "" && strings.Contains(name, "/"+h.Package)
			if programBase(name) == h.Program || versions || packaged {
				return h
			}
		}
	}
	return nil
}

// programBase returns a program's file name, lowercased and without .exe for NAME.exe.
func programBase(program string) string {
	base := path.Base(strings.ReplaceAll(program, `\`, "/"))
	if end := len(base) - len(".exe"); end > 0 && strings.EqualFold(base[end:], ".exe") {
		return strings.ToLower(base[:end])
	}
	return base
}

// AgentName returns the name for a host's agent in sentences ("the agent" if unknown). "" is the default host.
func AgentName(hostName string) string {
	if h, ok := HostNamed(hostName); ok {
		return h.Agent
	}
	return "the agent"
}

// TitleOf returns a host's name in sentences, or hostName if unknown. "" is the default host.
func TitleOf(hostName string) string {
	if h, ok := HostNamed(hostName); ok {
		return h.Title
	}
	return hostName
}
