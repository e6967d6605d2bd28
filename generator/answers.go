// Answers that are written down: YAML, and so JSON too.
//
// The rules:
//   - everything may be left out; what is there has to be right, and what is
//     wrong is named with line and column;
//   - plain values only: no anchors, aliases, tags or second documents, so that
//     what is read is what stands there;
//   - docs/schemas/answers.schema.json says the same to editors; a test makes
//     it from the tables here.

package generator

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxAnswers bounds a file of answers, in bytes; real ones have a few hundred.
const maxAnswers = 16 << 10

// Answers are what has been said about a suite. What is empty was left open;
// the settings of a plugin may be incomplete, and it has no version.
type Answers struct {
	Marketplace string
	Owner       Owner
	Targets     []Target
	Hosts       []string
	Plugins     []Plugin
}

// Over puts answers over others: what these leave open is taken from those.
// Plugins are chosen by these if they choose any; a plugin of the same name and
// strategy below lends it the settings that are still open.
func (a Answers) Over(under Answers) Answers {
	if a.Marketplace == "" {
		a.Marketplace = under.Marketplace
	}
	if a.Owner.Name == "" {
		a.Owner = under.Owner
	}
	if len(a.Targets) == 0 {
		a.Targets = under.Targets
	}
	if len(a.Hosts) == 0 {
		a.Hosts = under.Hosts
	}
	if len(a.Plugins) == 0 {
		a.Plugins = under.Plugins
		return a
	}
	a.Plugins = slices.Clone(a.Plugins)
	for i, p := range a.Plugins {
		for _, u := range under.Plugins {
			if u.Name == p.Name && u.Strategy == p.Strategy {
				settings := map[string]string{}
				maps.Copy(settings, u.Settings)
				maps.Copy(settings, p.Settings)
				a.Plugins[i].Settings = settings
			}
		}
	}
	return a
}

// ParseAnswers reads answers. Every error is a *FileError.
func ParseAnswers(data []byte) (Answers, error) {
	if len(data) > maxAnswers {
		return Answers{}, &FileError{Problem: fmt.Sprintf("larger than %d bytes", maxAnswers), Hint: "is this a file of answers?"}
	}
	if !utf8.Valid(data) {
		return Answers{}, &FileError{Problem: "not text in UTF-8", Hint: "save it as UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		// In JSON a tab is a blank like any other, in YAML it is not.
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		fault := inSyntax(err)
		fault.Hint = "it has to be YAML or JSON"
		return Answers{}, fault
	}
	var a Answers
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil: // nothing but comments
		case i > 0:
			return Answers{}, wrong(doc.Body, "a second document", "keep all answers in one")
		default:
			if err := a.read(doc.Body); err != nil {
				return Answers{}, err
			}
		}
	}
	return a, nil
}

func (a *Answers) read(n ast.Node) error {
	return members(n, map[string]func(ast.Node) error{
		"$schema": func(n ast.Node) error { _, err := text(n); return err },
		"marketplace": func(n ast.Node) (err error) {
			if a.Marketplace, err = text(n); err != nil {
				return err
			}
			return at(n, CheckMarketplace(a.Marketplace))
		},
		"owner": func(n ast.Node) error { return a.readOwner(n) },
		"targets": func(n ast.Node) error {
			err := items(n, func(n ast.Node) error {
				name, err := text(n)
				if err != nil {
					return err
				}
				t, err := ParseTarget(name)
				a.Targets = append(a.Targets, t)
				return at(n, err)
			})
			if err != nil {
				return err
			}
			return at(n, CheckTargets(a.Targets))
		},
		"hosts": func(n ast.Node) error {
			return items(n, func(n ast.Node) error {
				name, err := text(n)
				if err != nil {
					return err
				}
				a.Hosts = append(a.Hosts, name)
				return at(n, CheckHosts(a.Hosts))
			})
		},
		"plugins": func(n ast.Node) error {
			return items(n, func(n ast.Node) error {
				p, err := readPlugin(n)
				if err != nil {
					return err
				}
				if slices.ContainsFunc(a.Plugins, func(q Plugin) bool { return p.Name == q.Name }) {
					return at(n, &SpecError{fmt.Sprintf("plugin %q is listed twice", p.Name), "give every plugin its own name"})
				}
				a.Plugins = append(a.Plugins, p)
				return nil
			})
		},
	})
}

// readOwner takes `Name <address>` or an object.
func (a *Answers) readOwner(n ast.Node) error {
	if _, ok := n.(*ast.StringNode); ok {
		line, err := text(n)
		if err == nil {
			a.Owner, err = ParseOwner(line)
			err = at(n, err)
		}
		return err
	}
	err := members(n, map[string]func(ast.Node) error{
		"name":  func(n ast.Node) (err error) { a.Owner.Name, err = text(n); return err },
		"email": func(n ast.Node) (err error) { a.Owner.Email, err = text(n); return err },
	})
	if err != nil {
		return err
	}
	return at(n, a.Owner.validate())
}

// readPlugin takes the name of a strategy or an object.
func readPlugin(n ast.Node) (p Plugin, err error) {
	if _, ok := n.(*ast.StringNode); ok {
		p.Strategy, err = text(n)
		p.Name = p.Strategy
		if err == nil {
			err = at(n, p.checkNames())
		}
		return p, err
	}
	place, settings := n, ast.Node(nil)
	err = members(n, map[string]func(ast.Node) error{
		"name":     func(n ast.Node) (err error) { place = n; p.Name, err = text(n); return err },
		"strategy": func(n ast.Node) (err error) { place = n; p.Strategy, err = text(n); return err },
		"settings": func(n ast.Node) error { settings = n; return nil },
	})
	if err != nil {
		return p, err
	}
	if p.Strategy == "" {
		return p, wrong(n, "a plugin needs a strategy", `add a line like "strategy: ned-flanders"`)
	}
	if p.Name == "" {
		p.Name = p.Strategy
	}
	if err := p.checkNames(); err != nil {
		return p, at(place, err)
	}
	if settings == nil {
		return p, nil
	}
	about, err := ReadAbout(p.Strategy)
	if err != nil {
		return p, at(place, err)
	}
	known := map[string]func(ast.Node) error{}
	p.Settings = map[string]string{}
	for _, q := range about.Questions {
		known[q.Key] = func(n ast.Node) (err error) {
			if p.Settings[q.Key], err = scalar(n); err != nil {
				return err
			}
			return at(n, p.checkSetting(about, q.Key))
		}
	}
	return p, members(settings, known)
}

// members hands every value of an object to the reader of its key.
func members(n ast.Node, known map[string]func(ast.Node) error) error {
	names := strings.Join(slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(k string) bool { return k == "$schema" }), ", ")
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return wrong(n, what(n)+" instead of keys and values", "the keys here are "+names)
	}
	for _, v := range values {
		key, isText := v.Key.(*ast.StringNode)
		if !isText {
			return wrong(v.Key, fmt.Sprintf("%q is not a key", v.Key.String()), "the keys here are "+names)
		}
		read, ok := known[key.Value]
		if !ok {
			return wrong(key, fmt.Sprintf("unknown key %q", key.Value), "the keys here are "+names)
		}
		if err := read(v.Value); err != nil {
			return err
		}
	}
	return nil
}

// items hands every entry of a list to a reader.
func items(n ast.Node, read func(ast.Node) error) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return wrong(n, what(n)+" instead of a list", "write it as a list: [one, two]")
	}
	for _, entry := range list.Values {
		if err := read(entry); err != nil {
			return err
		}
	}
	return nil
}

func text(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	}
	return "", wrong(n, what(n)+" instead of text", "write text, in quotes if need be")
}

// scalar takes numbers, true and false as the text they are written as.
func scalar(n ast.Node) (string, error) {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return text(n)
}

// what names a node to people.
func what(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "nothing"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.AnchorNode, *ast.AliasNode:
		return "a reference"
	case *ast.TagNode:
		return "a tag"
	}
	return "text"
}

// wrong is a fault at a node.
func wrong(n ast.Node, problem, hint string) error {
	e := &FileError{Problem: problem, Hint: hint}
	if token := first(n); token != nil && token.GetToken() != nil && token.GetToken().Position != nil {
		e.Line, e.Column = token.GetToken().Position.Line, token.GetToken().Position.Column
	}
	return e
}

// first is where a node begins: the library places an object in block style at
// its first colon.
func first(n ast.Node) ast.Node {
	switch m := n.(type) {
	case *ast.MappingNode:
		if !m.IsFlowStyle && len(m.Values) > 0 {
			return m.Values[0].Key
		}
	case *ast.MappingValueNode:
		return m.Key
	}
	return n
}

// at gives a fault its place.
func at(n ast.Node, err error) error {
	var spec *SpecError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &spec):
		return wrong(n, spec.Error(), spec.Hint)
	}
	return wrong(n, err.Error(), "")
}
