package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// permitted are the licences that ask for no more than their text beside the program.
func permitted() []string {
	return []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}
}

// patents is what the modules of Go have beside their licence: it only gives rights.
const patents = "GooglePatentsFile"

// named are the names of files with licences, or with notices that belong to them.
var named = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// notice are the names of those that need not be a licence.
var notice = regexp.MustCompile(`(?i)^(copyright|notice|patents)`)

// document puts the licences of all modules into one text. It fails on the first look at all of them, so that
// every module that has to be looked at is named.
func document(modules []module) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("The programs of springfield contain the following software. springfield itself is under the licence in the file LICENSE.\n")
	var failures []error
	for _, m := range modules {
		text, err := m.licences()
		failures = append(failures, err)
		fmt.Fprintf(&b, "\n%s\n%s %s\n\n%s", strings.Repeat("=", 80), m.name, m.version, text)
	}
	return b.Bytes(), errors.Join(failures...)
}

// licences are the texts of a module, in the order of their paths.
func (m module) licences() (string, error) {
	var b strings.Builder
	licensed := false
	for _, dir := range m.directories() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if e.IsDir() || !named.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
				continue
			}
			data, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return "", err
			}
			name, _ := filepath.Rel(m.root, filepath.Join(dir, e.Name()))
			is, err := examine(e.Name(), data)
			if err != nil {
				return "", fmt.Errorf("%s %s: %s: %w", m.name, m.version, filepath.ToSlash(name), err)
			}
			licensed = licensed || is && dir == m.root
			fmt.Fprintf(&b, "--- %s\n\n%s\n\n", filepath.ToSlash(name), bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
		}
	}
	if !licensed {
		return "", fmt.Errorf("%s %s has no licence in %s", m.name, m.version, m.root)
	}
	return b.String(), nil
}

// examine tells whether a file is a licence. It refuses a licence that is not permitted, and a text that is
// neither a licence nor a notice beside one.
func examine(name string, text []byte) (licence bool, err error) {
	found := licensecheck.Scan(text)
	for _, match := range found.Match {
		switch {
		case slices.Contains(permitted(), match.ID):
			licence = true
		case match.ID != patents:
			return false, fmt.Errorf("the licence %s is not one of %s", match.ID, strings.Join(permitted(), ", "))
		}
	}
	if notice.MatchString(name) && !licence {
		return false, nil
	}
	if found.Percent < 75 {
		return false, fmt.Errorf("only %.0f %% of it is the text of a known licence", found.Percent)
	}
	return licence, nil
}
