//go:build e2e

package e2e

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// With -newest each program is the newest version that the registry has, and its checksum is the one that the registry
// states: a throw-away machine asks in this way whether a new version breaks something. Nothing else does.
var takeNewest = flag.Bool("newest", false, "the newest version of each program instead of the pinned one")

// pinNewest puts these versions in the place of the pinned ones.
func pinNewest() error {
	const claude = "@anthropic-ai/claude-code"
	version, integrity, err := newestOf(claude, claude+"-"+platform(), "")
	if err != nil {
		return err
	}
	newest, versions = version, []string{version, oldest}
	pinned[newest] = map[string]string{platform(): integrity}
	fmt.Printf("newest: Claude Code %s\n", version)
	for _, h := range hosts {
		at := platform()
		from, ok := h.from[""]
		if ok {
			at = ""
		} else if from, ok = h.from[at]; !ok {
			continue // its tests say that it has nothing for this platform
		}
		pkg, suffix, ok := strings.Cut(from.spec, "@"+h.version)
		if !ok {
			return fmt.Errorf("%s does not name the version %s", from.spec, h.version)
		}
		if version, integrity, err = newestOf(pkg, pkg, suffix); err != nil {
			return err
		}
		h.version, h.from = version, map[string]source{at: {pkg + "@" + version + suffix, integrity}}
		fmt.Printf("newest: %s %s\n", h.title, version)
	}
	return nil
}

// newestOf asks npm for the newest version of a package, and for the checksum of that version of another one, whose
// versions may end in a suffix.
func newestOf(pkg, program, suffix string) (version, integrity string, err error) {
	if version, err = npm(os.TempDir(), "view", pkg, "version"); err != nil {
		return "", "", err
	}
	spec := program + "@" + version + suffix
	if integrity, err = npm(os.TempDir(), "view", spec, "dist.integrity"); err == nil && !strings.HasPrefix(integrity, "sha512-") {
		err = fmt.Errorf("npm says of %s that its checksum is %q", spec, integrity)
	}
	return version, integrity, err
}
