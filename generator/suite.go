package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/registry"
)

const SuiteFile = "springfield.yaml"

const maxSuiteFile = 1 << 20

// Suite is the content of springfield.yaml.
type Suite struct {
	Spec  `yaml:",inline"`
	Build Build `yaml:"build"`
}

// Publish records the last publication of a suite.
type Publish struct {
	// To is the directory of the marketplace, absolute or relative to the suite. "" is the suite itself.
	To      string               `yaml:"to,omitempty"`
	Plugins map[string]Published `yaml:"plugins,omitempty"`
}

type Published struct {
	Version string `yaml:"version"`
	Files   string `yaml:"files"` // digest of the files
}

var ErrNoSuite = errors.New("not a springfield suite")

func noSuiteError(dir string) error {
	if rooted.TargetExists(filepath.Join(dir, "HEAD")) && rooted.TargetExists(filepath.Join(dir, "objects")) {
		clone := check.QuoteArgument("./" + strings.TrimSuffix(filepath.Base(dir), ".git"))
		return check.Advisef("git clone "+check.QuoteArgument(dir)+" "+clone+" gets its files; pass "+clone+" instead",
			"%s: %w, but a bare git repository", dir, ErrNoSuite)
	}
	why := "it has no " + SuiteFile
	if rooted.IsSurelyMissing(dir) {
		why = "it does not exist"
	}
	return check.Advisef(why+"; run springfield init "+check.QuoteArgument(dir)+" to make a suite there",
		"%s: %w", dir, ErrNoSuite)
}

// ReadSuite reads and validates springfield.yaml, and fills in missing versions and settings. A missing file is
// ErrNoSuite, wrapped.
func ReadSuite(dir string) (Suite, error) {
	file := filepath.Join(dir, SuiteFile)
	data, err := rooted.ReadFile(dir, SuiteFile, maxSuiteFile)
	var link *rooted.LinkError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Suite{}, noSuiteError(dir)
	case errors.As(err, &link):
		return Suite{}, fmt.Errorf("read suite: %w", err)
	case err != nil:
		return Suite{}, fmt.Errorf("read %s: %w", file, check.DropPath(err))
	}
	s, err := decodeSuite(data)
	if fault := (*FileError)(nil); errors.As(err, &fault) {
		fault.Advice = cmp.Or(fault.Advice,
			"run springfield validate "+check.QuoteArgument(dir)+" to see the errors in it")
		return Suite{}, fmt.Errorf("read %s: %w", file, err)
	}
	return s, err
}

// decodeSuite validates springfield.yaml, and fills in missing versions and settings. All errors are *FileError.
func decodeSuite(data []byte) (Suite, error) {
	var s Suite
	if err := decodeAnyYAML(data, &s); err != nil {
		return s, err
	}
	for i := range s.Plugins {
		p := &s.Plugins[i]
		if about, err := ReadAbout(p.Strategy); err == nil { // else reported by Validate
			p.Version = cmp.Or(p.Version, about.Version)
			p.Settings = about.withDefaults(p.Settings)
		}
	}
	if err := cmp.Or(s.findMissingKey(), s.Validate()); err != nil {
		return s, toFileError(err)
	}
	return s, nil
}

func (s Suite) findMissingKey() error {
	for _, line := range []struct {
		lacks        bool
		key, problem string
		example      any
	}{
		{s.Marketplace == "", "marketplace", "it names no marketplace", "continuation-hooks"},
		{s.Owner.Name == "", "owner", "it names no owner", "{name: Marge Bouvier}"},
		{len(s.Targets) == 0, "targets", "it names no target", []Target{HostTarget()}},
		{len(s.Plugins) == 0, "plugins", "it names no plugin", "[{name: " + registry.Default() + ", strategy: " + registry.Default() + "}]"},
	} {
		if line.lacks {
			return check.Misusef(fmt.Sprintf("add a line such as %s: %v", line.key, line.example), "%s", line.problem)
		}
	}
	return nil
}

// FindSuite returns dir, which is absolute, or the nearest parent with a springfield.yaml ("" if none).
func FindSuite(dir string) string {
	return rooted.FindUpward(dir, func(dir string) bool { return rooted.TargetExists(filepath.Join(dir, SuiteFile)) })
}

func CommandToMakePlugin(strategy, suiteDir string) string {
	return "springfield new " + strategy + " --from " + strategy + " --suite " + check.QuoteArgument(suiteDir)
}

func (s Suite) encodeYAML() ([]byte, error) {
	body, err := yaml.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", SuiteFile, err)
	}
	head := "# yaml-language-server: $schema=" + schemaBase + "springfield.schema.json\n" +
		"# The answers this suite was made from; springfield reads and writes this file.\n"
	return append([]byte(head), body...), nil
}

// UpdatedYAML returns old, the text of springfield.yaml, updated to s, with the user's comments. If necessary, it
// writes s anew and appends the old text as a comment. An invalid old is an error.
func (s Suite) UpdatedYAML(old []byte) ([]byte, error) {
	text, _ := textWithLF(old)
	before, err := decodeSuite([]byte(text))
	if err != nil {
		return old, err
	}
	had, err := before.encodeYAML()
	next, failed := s.encodeYAML()
	if err = cmp.Or(err, failed); err != nil || bytes.Equal(had, next) {
		return old, err
	}
	blocks := splitBlocks(text)
	for _, block := range splitBlocks(string(next)) {
		i := slices.IndexFunc(blocks, func(b yamlBlock) bool { return b.key == block.key })
		switch {
		case block.key == "" || slices.Contains(splitBlocks(string(had)), block):
		case i >= 0:
			blocks[i] = block
		default:
			blocks = append(blocks, yamlBlock{text: "\n"}, block)
		}
	}
	merged := strings.Join(check.NamesOf(blocks, func(b yamlBlock) string { return b.text }), "")
	now, err := decodeSuite([]byte(merged))
	is, failed := now.encodeYAML()
	if cmp.Or(err, failed) != nil || !bytes.Equal(is, next) {
		// The layout is too different: the old text is kept as a comment.
		merged = string(next) + "\n# Before springfield wrote it:\n# " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n# ") + "\n"
	}
	return withLineEndsOf(old, merged), nil
}

// yamlBlock is the text of a top-level member, or of the comments and blank lines between two.
type yamlBlock struct{ key, text string }

// splitBlocks splits YAML into top-level members and the comments around them. The concatenated blocks are the file.
func splitBlocks(text string) (blocks []yamlBlock) {
	later := "" // comments that end the member, unless it continues
	for line := range strings.Lines(text) {
		key, _, ok := strings.Cut(line, ":")
		last := len(blocks) - 1
		switch {
		case strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "":
			later += line
			continue
		case ok && kebab.MatchString(key) || last < 0:
			blocks = append(blocks, yamlBlock{text: later}, yamlBlock{key, line})
		default:
			blocks[last].text += later + line
		}
		later = ""
	}
	return append(blocks, yamlBlock{text: later})
}
