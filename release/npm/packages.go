package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/semver/v3"
)

//go:embed springfield.js
var launcher []byte

//go:embed README.tmpl
var readme string

// repository is where the packages come from. npm compares it with the repository that has published them.
const repository = "https://github.com/cameronsjo/springfield"

// manifest is a package.json.
type manifest struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	Keywords     []string          `json:"keywords,omitempty"`
	Homepage     string            `json:"homepage"`
	Bugs         map[string]string `json:"bugs"`
	Repository   map[string]string `json:"repository"`
	License      string            `json:"license"`
	Bin          map[string]string `json:"bin,omitempty"`
	Files        []string          `json:"files"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	Unplugged    bool              `json:"preferUnplugged,omitempty"` // yarn keeps packages in archives, from which no program can start
	Publish      publishing        `json:"publishConfig"`
	Dependencies map[string]string `json:"optionalDependencies,omitempty"`
}

// publishing is how a package is published: for everyone, with a statement about the build that made it.
type publishing struct {
	Access     string `json:"access"`
	Provenance bool   `json:"provenance"`
}

func newManifest(name, version, description string) manifest {
	return manifest{
		Name: name, Version: version, Description: description,
		Homepage:   repository + "#readme",
		Bugs:       map[string]string{"url": repository + "/issues"},
		Repository: map[string]string{"type": "git", "url": "git+" + repository + ".git"},
		License:    "MIT",
		Files:      []string{"bin", licences},
		Publish:    publishing{"public", true},
	}
}

// mainManifest names the package of every machine. npm installs the one that suits.
func mainManifest(version string) manifest {
	m := newManifest(scoped, version, "Keep coding agents going while work remains")
	m.Keywords = []string{"claude-code", "codex", "copilot", "gemini-cli", "qwen-code", "stop-hook", "plugin", "cli"}
	m.Bin = map[string]string{"springfield": "bin/springfield.js"}
	m.Engines = map[string]string{"node": ">=18"}
	m.Dependencies = map[string]string{}
	for _, p := range platforms() {
		m.Dependencies[p.name()] = version
	}
	return m
}

func (p platform) manifest(version string) manifest {
	m := newManifest(p.name(), version, fmt.Sprintf("The springfield program for %s %s", p.os, p.arch))
	m.OS, m.CPU, m.Unplugged = []string{p.os}, []string{p.arch}, true
	return m
}

// licences is the file with the licences of what the program is made of.
const licences = "THIRD_PARTY_LICENSES"

// source is what packages are made from.
type source struct {
	dist             string // the files of a release
	licence, notices []byte // LICENSE and the file of licences
	sums             sums
}

// releaseVersion is the version of the release in dist/, as goreleaser has recorded it.
func releaseVersion(dist string) (string, error) {
	var metadata struct{ Version string }
	text, err := os.ReadFile(filepath.Join(dist, "metadata.json"))
	if err == nil {
		err = json.Unmarshal(text, &metadata)
	}
	return metadata.Version, err
}

// plainVersion is a version as npm writes it.
func plainVersion(text string) (string, error) {
	version := strings.TrimPrefix(text, "v")
	parsed, err := semver.StrictNewVersion(version)
	switch {
	case err != nil:
		return "", fmt.Errorf("version %q: want one like 1.2.3 or 1.2.3-rc.1", text)
	case parsed.Metadata() != "":
		return "", fmt.Errorf("version %q: npm drops what follows the +", text)
	}
	return version, nil
}

// makePackages writes every package below a directory that is absent or empty: all of them, or none.
func (s source) makePackages(version, to string) (err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(to), ".npm-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	for _, p := range platforms() {
		dir := filepath.Join(made, folder(p.name()))
		if err := s.write(dir, p.manifest(version)); err != nil {
			return err
		}
		if err := s.sums.copyFile(s.dist, p.asset, filepath.Join(dir, filepath.FromSlash(p.program()))); err != nil {
			return err
		}
	}
	main := mainManifest(version)
	dir := filepath.Join(made, folder(main.Name))
	if err := s.write(dir, main); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(dir, filepath.FromSlash(main.Bin["springfield"])), launcher, 0o755); err != nil {
		return err
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.Rename(made, to)
}

// write writes the files that every package has.
func (s source) write(dir string, m manifest) error {
	var text, about bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	page, err := template.New("").Parse(readme)
	if err = errors.Join(err, enc.Encode(m)); err != nil {
		return err
	}
	if err := page.Execute(&about, map[string]any{"Package": m, "Main": scoped, "Repository": repository}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		return err
	}
	for name, data := range map[string][]byte{"package.json": text.Bytes(), "README.md": about.Bytes(), "LICENSE": s.licence, licences: s.notices} {
		if err := writeFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// writeFile gives a file its mode whatever the umask says: npm pack puts modes into the package.
func writeFile(path string, data []byte, mode os.FileMode) error {
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return os.Chmod(path, mode)
}
