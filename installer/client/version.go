package client

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/internal/check"
)

// RootedLocal is the first version that reads local settings at the root of the
// repository around; older ones read them only where a session starts.
const RootedLocal = "2.1.211"

const tested = "2.1.197" // the oldest client that every release is tried with

// floor is a version of Claude Code below which something is missing.
type floor struct {
	version string
	finding func(says, fix string) check.Finding
	missing string
}

// versionFloors are the versions that matter to a hook of ours, the worst first.
func versionFloors() []floor {
	return []floor{
		{"2.1.139", check.Failed, "it starts hooks only through a shell, which breaks on spaces in a path"},
		{"2.1.145", check.Warned, "it does not tell a hook what still runs in the background, so Claude is made to go on while it waits"},
		{"2.1.196", check.Warned, "it does not tell a hook which prompt a stop belongs to, so the budget counts for the whole session"},
	}
}

// IsOlder tells whether a version is older than another; known, whether that can be
// told.
func IsOlder(is, than string) (older, known bool) {
	v, err := semver.StrictNewVersion(is)
	return err == nil && v.LessThan(semver.MustParse(than)), err == nil
}

// CheckVersion looks at the command, which says that it has a version.
func (c Command) CheckVersion(version string) check.Finding {
	if c.Path == "" {
		return check.Warned("there is no claude on PATH, so enable can only declare marketplaces, and plugins from repositories cannot be fetched", "put Claude Code's claude on PATH")
	}
	older, known := IsOlder(version, tested)
	if !known {
		return check.Warned(c.Path+" does not say its version", "claude --version should print it")
	}
	for _, f := range versionFloors() {
		if older, _ := IsOlder(version, f.version); older {
			return f.finding(fmt.Sprintf("Claude Code %s is older than %s: %s", version, f.version, f.missing), "claude update")
		}
	}
	if older {
		return check.Noted(fmt.Sprintf("Claude Code %s: springfield is tested with %s and later", version, tested), "claude update")
	}
	return check.Passed("Claude Code " + version)
}
