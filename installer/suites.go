package installer

// The suites that init has made, so that enable finds a plugin by its name
// from anywhere.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

type suites struct {
	Suites []string `json:"suites"`
}

// RememberSuite adds a directory to the list.
func RememberSuite(p Places, dir string) error {
	if err := p.makeState(""); err != nil {
		return fmt.Errorf("remember suite: %w", err)
	}
	unlock, err := Lock(p.state("suites.lock"))
	if err != nil {
		return fmt.Errorf("remember suite: %w", err)
	}
	defer unlock()
	file, list, err := readSuites(p)
	if err != nil {
		return fmt.Errorf("remember suite: %w", err)
	}
	if slices.Contains(list.Suites, dir) {
		return nil
	}
	list.Suites = append(list.Suites, dir)
	data, err := encodeIndented(list)
	if err != nil {
		return fmt.Errorf("remember suite: %w", err)
	}
	if err := file.Replace(data); err != nil {
		return fmt.Errorf("remember suite: %w", err)
	}
	return nil
}

// Suites lists the remembered directories that still exist.
func Suites(p Places) ([]string, error) {
	_, list, err := readSuites(p)
	if err != nil {
		return nil, fmt.Errorf("list suites: %w", err)
	}
	return slices.DeleteFunc(list.Suites, func(dir string) bool {
		_, err := os.Stat(dir)
		return !filepath.IsAbs(dir) || err != nil
	}), nil
}

func readSuites(p Places) (*File, suites, error) {
	file, err := Open(p.state("suites.json"))
	if err != nil || !file.Exists {
		return file, suites{}, err
	}
	var list suites
	if err := json.Unmarshal(file.Data, &list); err != nil {
		return nil, suites{}, fmt.Errorf("%s: %w", file.Asked, err)
	}
	return file, list, nil
}

func encodeIndented(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.Bytes(), err
}
