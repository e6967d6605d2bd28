package generator

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/templates"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// File is a file of a suite. Path uses slashes.
type File struct {
	Path string
	Mode fs.FileMode
	Data []byte
	// Compiled marks a program or launcher, which users do not edit.
	Compiled bool
	program  Program // of a compiled file
	target   Target  // zero for the launcher
}

type view struct {
	Spec // of the suite
	Plugin
	About    About // without figures if the settings are not the measured ones
	Homepage string
	Event    string // Claude Code's name of the hook's event
	AtStop   bool   // it decides at a stop; only one such plugin decides at a time
}

// EventOf returns the plugin's hook event in a host.
func (v view) EventOf(host string) (string, error) {
	at, known := registry.HostNamed(host)
	if !known {
		return "", fmt.Errorf("there is no host %q", host)
	}
	if v.AtStop {
		return at.Stop, nil
	}
	return at.Prompt, nil
}

// Timeout returns the hook's timeout in seconds.
func (p Plugin) Timeout() int {
	if known, _ := registry.StrategyNamed(p.Strategy); known.Judges {
		return judge.Within + judge.Spare
	}
	return 10
}

type suiteView struct {
	Spec
	Plugins   []view
	Deciding  []view // at Stop
	Beside    []view // at other events
	Judges    bool   // one asks a model
	Suggested string // to begin with
	Memory    string // paragraph for a memory file
}

func newSuiteView(spec Spec) (suiteView, error) {
	suite := suiteView{Spec: spec, Suggested: spec.FirstToEnable().Name, Judges: len(spec.Programs()) > 1}
	for _, p := range spec.Plugins {
		about, err := ReadAbout(p.Strategy)
		if err != nil {
			return suiteView{}, err
		}
		if !maps.Equal(p.Settings, about.withDefaults(nil)) {
			about.Measured = nil
		}
		page := "https://github.com/cameronsjo/springfield/blob/main/docs/" + p.Strategy + ".md"
		known, _ := registry.StrategyNamed(p.Strategy)
		event := known.Event
		v := view{spec, p, about, page, event, event == "Stop"}
		if suite.Plugins = append(suite.Plugins, v); v.AtStop {
			suite.Deciding = append(suite.Deciding, v)
		} else {
			suite.Beside = append(suite.Beside, v)
		}
	}
	note, err := renderTemplate("shared/memory/note.md.tmpl", suite)
	if err != nil {
		return suiteView{}, err
	}
	suite.Memory = strings.TrimSpace(string(note))
	return suite, nil
}

// MemoryNote returns a paragraph for a memory file, without blank lines or final newline. spec must be valid.
func MemoryNote(spec Spec) (string, error) {
	suite, err := newSuiteView(spec)
	return suite.Memory, err
}

// RenderSuite renders a suite's files, sorted by path, springfield.yaml last. spec must be valid. Programs from Unbuilt
// have no data.
func RenderSuite(spec Spec, built Build) ([]File, error) {
	suite, err := newSuiteView(spec)
	if err != nil {
		return nil, err
	}
	launcher, err := renderTemplate("shared/launcher/springfield-hook.tmpl", nil)
	if err != nil {
		return nil, err
	}

	files, err := renderTree("shared/suite", "", suite)
	if err != nil {
		return nil, err
	}
	for _, p := range suite.Plugins {
		for _, tree := range []string{"shared/plugin", p.Strategy} {
			more, err := renderTree(tree, p.Name, p)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
		for _, f := range p.programFiles(built.Binaries, launcher) {
			f.Path = path.Join(p.Name, f.Path)
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	answers, err := Suite{Spec: spec, Build: built}.encodeYAML()
	if err != nil {
		return nil, err
	}
	return append(files, File{Path: SuiteFile, Mode: 0o644, Data: answers}), nil
}

// renderTree renders templates and pictures below tree. Paths start with into ("" for the suite itself). It writes
// nothing.
func renderTree(tree, into string, data any) (files []File, err error) {
	err = fs.WalkDir(templates.Files, tree, func(name string, d fs.DirEntry, err error) error {
		var text []byte
		switch {
		case err != nil || d.IsDir():
			return err
		case path.Ext(name) == ".tmpl":
			text, err = renderTemplate(name, data)
		case path.Ext(name) == ".png":
			text, err = templates.Files.ReadFile(name)
		default: // about.yaml
			return nil
		}
		if err != nil {
			return err
		}
		relative := strings.TrimSuffix(strings.TrimPrefix(name, tree+"/"), ".tmpl")
		files = append(files, File{Path: path.Join(into, relative), Mode: 0o644, Data: text})
		return nil
	})
	return files, err
}

// readParts parses the shared templates once. renderTemplate caches the rest in the result, because most are
// rendered once per plugin.
var readParts = sync.OnceValues(func() (*template.Template, error) {
	return template.New("parts").Funcs(sprig.HermeticTxtFuncMap()).Option("missingkey=error").ParseFS(templates.Files, "shared/parts/*.tmpl")
})

func renderTemplate(file string, data any) ([]byte, error) {
	var b bytes.Buffer
	all, err := readParts()
	if err == nil && all.Lookup(file) == nil {
		var text []byte
		if text, err = templates.Files.ReadFile(file); err == nil {
			_, err = all.New(file).Parse(string(text))
		}
	}
	if err == nil {
		err = all.ExecuteTemplate(&b, file, data)
	}
	if err != nil {
		return nil, fmt.Errorf("render: %w", err)
	}
	return b.Bytes(), nil
}
