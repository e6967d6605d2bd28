// springfield.yaml: the answers a suite was made from and what was compiled
// into it. Its presence is what makes a directory a suite.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
)

// SuiteFile lies in the root of every suite.
const SuiteFile = "springfield.yaml"

// maxSuiteFile bounds it, in bytes.
const maxSuiteFile = 1 << 20

// Suite is the content of springfield.yaml.
type Suite struct {
	Spec  `yaml:",inline"`
	Build Build `yaml:"build"`
}

// ErrNoSuite says that a directory has no springfield.yaml.
var ErrNoSuite = errors.New("not a springfield suite")

// ReadSuite reads the suite in a directory.
func ReadSuite(dir string) (Suite, error) {
	file := filepath.Join(dir, SuiteFile)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Suite{}, fmt.Errorf("%s: %w", dir, ErrNoSuite)
	}
	if err != nil {
		return Suite{}, err
	}
	if !info.Mode().IsRegular() { // reading a pipe would wait for its writer
		return Suite{}, fmt.Errorf("read %s: not a regular file", file)
	}
	if info.Size() > maxSuiteFile {
		return Suite{}, fmt.Errorf("read %s: larger than %d bytes", file, maxSuiteFile)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return Suite{}, err
	}
	s, err := decodeSuite(data)
	if err != nil {
		return Suite{}, fmt.Errorf("read %s: %w", file, err)
	}
	return s, nil
}

func decodeSuite(data []byte) (Suite, error) {
	var s Suite
	if err := yaml.Unmarshal(data, &s); err != nil {
		return Suite{}, yamlError(err)
	}
	return s, s.Validate()
}

// equal compares what two suites say, not how.
func (s Suite) equal(other Suite) bool {
	a, errA := yaml.Marshal(s)
	b, errB := yaml.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// FindSuite looks for a suite in a directory and those above it.
func FindSuite(dir string) (string, error) {
	for {
		if _, err := os.Stat(filepath.Join(dir, SuiteFile)); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrNoSuite
		}
		dir = up
	}
}

func (s Suite) encode() ([]byte, error) {
	body, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", SuiteFile, err)
	}
	head := "# yaml-language-server: $schema=" + schemaURL("springfield.schema.json") + "\n" +
		"# The answers this suite was made from; springfield reads and writes this file.\n"
	return append([]byte(head), body...), nil
}

// yamlError reduces the library's multi-line report to position and problem.
func yamlError(err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		at := e.GetToken().Position
		return fmt.Errorf("line %d, column %d: %s", at.Line, at.Column, e.GetMessage())
	}
	return err
}
