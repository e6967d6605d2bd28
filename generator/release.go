// Releases: which version a plugin gets, and whether what it holds was published
// under that version before. Claude Code copies a plugin that comes from a
// repository once per version, so other files under the same version reach
// nobody.

package generator

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/runtime/display"
)

// Publish is what a suite remembers of publishing.
type Publish struct {
	// To is the marketplace that it is published to: a directory, relative to the
	// suite unless it is absolute; "" is the suite itself.
	To string `yaml:"to,omitempty"`
	// Plugins are what was published last, by name.
	Plugins map[string]Published `yaml:"plugins,omitempty"`
}

// Published is one plugin as it was published last.
type Published struct {
	Version string `yaml:"version"`
	Files   string `yaml:"files"` // Digest of them
}

// Bumps are the parts of a version that can be raised.
func Bumps() []string { return []string{"patch", "minor", "major"} }

// Bump raises one part of a version; what stood behind it begins anew.
func Bump(version, part string) (string, error) {
	v, err := semver.StrictNewVersion(version)
	if err != nil {
		return "", fmt.Errorf("version %q: %w", version, err)
	}
	switch part {
	case "major":
		return v.IncMajor().String(), nil
	case "minor":
		return v.IncMinor().String(), nil
	case "patch":
		return v.IncPatch().String(), nil
	}
	return "", fmt.Errorf("there is no part %q of a version", part)
}

// Grows says why a version cannot follow another, nil if it can.
func Grows(from, to string) error {
	next, err := semver.StrictNewVersion(to)
	if err != nil {
		return fmt.Errorf("version %q: %w", to, err)
	}
	before, err := semver.StrictNewVersion(from)
	if err != nil {
		return fmt.Errorf("version %q: %w", from, err)
	}
	if !next.GreaterThan(before) {
		return fmt.Errorf("version %s does not come after %s", to, from)
	}
	return nil
}

// Changelog is a plugin's record of its releases, the newest first.
const Changelog = "CHANGELOG.md"

// AddRelease puts a release at the head of a changelog, "" for a new one. One
// that is there already stays as it is, whichever way its heading is written.
func AddRelease(changelog, plugin, version, date string, notes []string) string {
	heading := "## " + version
	for line := range strings.Lines(changelog) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "## ")
		rest, is := strings.CutPrefix(strings.TrimLeft(line, "[v"), version)
		if ok && is && (rest == "" || strings.ContainsAny(rest[:1], " ])(:")) {
			return changelog
		}
	}
	end := "\n"
	if strings.Contains(changelog, "\r\n") {
		end = "\r\n"
	}
	entry := heading + " (" + date + ")" + end + end
	for _, note := range notes { // a commit's author may have put anything into its subject
		entry += "- " + display.Line(note) + end
	}
	if strings.TrimSpace(changelog) == "" {
		return "# Releases of " + plugin + end + end + entry
	}
	at := strings.Index(changelog, "\n## ") + 1
	if strings.HasPrefix(changelog, "## ") {
		at = 0
	} else if at == 0 { // no release in it yet
		return strings.TrimRight(changelog, "\r\n") + end + end + entry
	}
	return changelog[:at] + entry + end + changelog[at:]
}

// Digest identifies the files of a plugin's directory: names, contents, and
// which may be started. Its changelog is left out, which tells of versions, and
// line ends count for nothing: a checkout on Windows has others.
func Digest(dir string) (string, error) {
	files, err := FilesOf(dir)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, file := range files {
		if file == Changelog {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(file, "hooks/") && bytes.IndexByte(data, 0) < 0 {
			data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		}
		fmt.Fprintf(sum, "%s\x00%t\x00%d\x00", file, isStarted(file), len(data))
		sum.Write(data)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// FilesOf lists the files of a plugin's directory, relative to it and with
// slashes, in order. Anything but files and directories in it is an error.
func FilesOf(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: not a regular file; a plugin that is published holds nothing else", name)
		}
		relative, err := filepath.Rel(dir, name)
		files = append(files, filepath.ToSlash(relative))
		return err
	})
	slices.Sort(files)
	return files, err
}

// isStarted tells whether a file of a plugin has to be executable. Not its mode
// says so: a checkout on Windows has none.
func isStarted(file string) bool {
	for _, place := range hookPlaces(Hook, Judge) {
		if file == place {
			return true
		}
	}
	return false
}

// Started are the files of a plugin that have to be executable, as far as they
// are there, relative to it and with slashes.
func Started(dir string) []string {
	var all []string
	for _, place := range hookPlaces(Hook, Judge) {
		if exists(filepath.Join(dir, filepath.FromSlash(place))) {
			all = append(all, place)
		}
	}
	return all
}
