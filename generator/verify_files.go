// What is verified of a plugin besides its programs: the texts that say what an agent
// starts, which are the launcher, files of hooks, manifests and commands, and files that
// springfield does not make. A text may be edited: then what it starts besides is told.

package generator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/runtime/excerpt"
)

const (
	maxStarting = 64 << 10 // bounds a text that says what is started, in bytes
	maxEntries  = 10_000   // bounds the files of a plugin that are looked at
	maxTold     = 10       // bounds what is told of one text
	maxFindings = 50       // bounds what is told of the texts of one plugin
	maxQuoted   = 160      // bounds what is quoted of a text, in bytes
)

// examine reads all that is verified of a plugin.
func examine(s Subject) (*verification, error) {
	v := &verification{Subject: s}
	if s.Suite != "" {
		if suite, err := ReadSuite(s.Suite); err == nil {
			v.record = &suite
		}
		if err := checkIn(s.Suite, filepath.Base(s.Dir)); err != nil {
			v.say(check.Failure, "", inPlugin(err))
			return v, nil
		}
	}
	var err error
	if v.in, err = folder.Open(s.Dir); err != nil {
		v.say(check.Failure, "", inPlugin(err))
		return v, nil
	}
	defer func() { _ = v.in.Close() }()
	spec, err := v.specIn()
	if err != nil {
		v.say(check.Failure, "strategy.json", err.Error())
		return v, nil
	}
	made, err := Render(spec, Build{})
	if err != nil {
		return nil, err
	}
	v.programs = v.programsIn()
	v.lookAtTexts(made)
	v.lookAtEntry()
	return v, nil
}

// checkIn says whether a name in a directory is a link.
func checkIn(dir, name string) error {
	in, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return in.Check(name)
}

// say notes what is wrong with a file of the plugin, which is "" for all of it.
func (v *verification) say(state check.State, file, says string) {
	v.found = append(v.found, v.finding(programArea, file, state, says))
}

func (v *verification) finding(area, file string, state check.State, says string) check.Finding {
	name := filepath.Join(v.Dir, filepath.FromSlash(file))
	if v.Suite != "" {
		name = path.Join(filepath.Base(v.Dir), file)
	}
	return check.Finding{Check: area, State: state, File: name, Says: says}
}

// specIn is what the plugin is made from: as springfield.yaml says, else as it says itself.
func (v *verification) specIn() (Spec, error) {
	if v.record != nil {
		i := slices.IndexFunc(v.record.Plugins, func(p Plugin) bool { return p.Name == filepath.Base(v.Dir) })
		if i >= 0 {
			spec := v.record.Spec
			v.plugin, spec.Plugins = spec.Plugins[i], spec.Plugins[i:i+1]
			return spec, nil
		}
	}
	var says struct{ Strategy, Plugin, Name string }
	for _, file := range []string{"strategy.json", ".claude-plugin/plugin.json"} {
		data, _, err := v.in.ReadFile(file, maxText)
		if err == nil {
			err = json.Unmarshal(data, &says)
		}
		if err != nil {
			return Spec{}, fmt.Errorf("not a plugin of springfield's: %s: %s", file, inPlugin(err))
		}
	}
	var err error
	if v.plugin, err = NewPlugin(says.Name, says.Strategy, nil); err != nil {
		return Spec{}, fmt.Errorf("not a plugin of springfield's: %w", err)
	}
	return Spec{Marketplace: "springfield", Owner: Owner{Name: "springfield"}, Targets: []Target{Host()}, Hosts: []string{cursor}, Plugins: []Plugin{v.plugin}}, nil
}

// entry is a file of a plugin.
type entry struct {
	path string // with slashes
	mode fs.FileMode
}

// entries are all files of the plugin but git's own; not whole if there are too many.
func (v *verification) entries() (all []entry, whole bool) {
	dirs := []string{"."}
	for n := 0; len(dirs) > 0; {
		dir := dirs[0]
		dirs = dirs[1:]
		f, err := v.in.Open(dir)
		if err != nil {
			continue // what cannot be read is not started either
		}
		for {
			names, err := f.ReadDir(256)
			for _, d := range names {
				name := path.Join(dir, d.Name())
				if n++; n > maxEntries {
					_ = f.Close()
					return all, false
				}
				if d.IsDir() && name != ".git" {
					dirs = append(dirs, name)
				} else if !d.IsDir() {
					all = append(all, entry{name, modeOf(d)})
				}
			}
			if err != nil {
				break
			}
		}
		_ = f.Close()
	}
	slices.SortFunc(all, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	return all, true
}

// modeOf is the mode of an entry, its type alone where more is not known.
func modeOf(d fs.DirEntry) fs.FileMode {
	if info, err := d.Info(); err == nil {
		return info.Mode()
	}
	return d.Type()
}

// lookAtTexts compares the texts of the plugin with those that it is made with.
func (v *verification) lookAtTexts(made []File) {
	all, whole := v.entries()
	if !whole {
		v.texts = append(v.texts, v.finding(textArea, "", check.Warning, fmt.Sprintf("it has more than %d files, which are not looked at", maxEntries)))
	}
	for _, e := range all {
		if slices.Contains(HookFiles(), e.path) {
			continue
		}
		i := slices.IndexFunc(made, func(f File) bool { return f.Path == v.plugin.Name+"/"+e.path })
		switch as := roleOf(e.path); {
		case as == inert && (i >= 0 || !v.isProgram(e)):
		case as == inert:
			v.starts(e.path, "a program that springfield does not make")
		case i < 0:
			v.compare(e, nil)
		default:
			v.compare(e, made[i].Data)
			v.compared++
		}
		if len(v.texts) >= maxFindings {
			v.texts = append(v.texts, v.finding(textArea, "", check.Warning, "there is more, which is not told"))
			return
		}
	}
}

// maxCatalog bounds the catalog of a marketplace, in bytes.
const maxCatalog = 4 << 20

// describing are the members of a catalog's entry that start nothing; Claude Code takes
// others as if the plugin had them.
func describing() []string {
	return []string{
		"name", "source", "displayName", "description", "version", "author", "homepage", "repository", "license", "icon", "keywords",
		"category", "tags", "strict", "relevance", "defaultEnabled",
	}
}

// lookAtEntry looks at what the marketplace adds to the plugin. A catalog that is not there, or
// that no agent could read either, adds nothing.
func (v *verification) lookAtEntry() {
	const file = ".claude-plugin/marketplace.json"
	if v.Catalog == "" {
		return
	}
	data, err := folder.ReadFile(v.Catalog, file, maxCatalog)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	says := addedIn(data, v.plugin.Name)
	f := check.Finding{Check: textArea, State: check.Failure, File: filepath.Join(v.Catalog, filepath.FromSlash(file))}
	switch {
	case err != nil:
		f.Says = inPlugin(err)
	case len(says) == 0:
		return
	default:
		f.Says = "the marketplace adds to " + v.plugin.Name + ": " + quoteAll(says)
	}
	v.texts = append(v.texts, f)
}

// addedIn are the members of a plugin's entries in a catalog that do more than describe it. It
// takes an entry for what it is, whatever the others are.
func addedIn(catalog []byte, plugin string) (says []string) {
	var members map[string]json.RawMessage // no struct, which would take PLUGINS, too
	var entries []json.RawMessage
	if json.Unmarshal(bytes.TrimPrefix(catalog, []byte("\ufeff")), &members) != nil || json.Unmarshal(members["plugins"], &entries) != nil {
		return nil
	}
	for _, raw := range entries {
		var entry map[string]json.RawMessage
		var name string
		if json.Unmarshal(raw, &entry) != nil || json.Unmarshal(entry["name"], &name) != nil || name != plugin {
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(entry)) {
			if !slices.Contains(describing(), member) {
				says = append(says, member+" = "+string(entry[member]))
			}
		}
	}
	return says
}

// starts notes that a text starts, or may start, what springfield does not make.
func (v *verification) starts(file, says string) {
	v.texts = append(v.texts, v.finding(textArea, file, check.Failure, says))
}

// role is how a file of a plugin can say what is started.
type role int

const (
	inert  role = iota // it does not
	config             // JSON, which names programs, or files that do
	prompt             // Markdown that an agent reads, which can have commands in it
	onPath             // a program that an agent can start by its name
)

// roleOf goes by where a file lies: agents look for theirs in fixed places.
func roleOf(file string) role {
	top, below, inside := strings.Cut(file, "/")
	switch ext := strings.ToLower(path.Ext(file)); {
	case top == "bin" && inside:
		return onPath
	case ext == ".md" && inside && !strings.Contains(below, "node_modules/"):
		return prompt
	case strings.HasPrefix(file, ".github/workflows/"): // of the repository that a plugin may be
		return inert
	case file == "strategy.json" || top == "schemas" || ext != ".json" && ext != ".jsonc" && ext != ".toml" && ext != ".yaml" && ext != ".yml":
		return inert
	}
	return config
}

// isProgram tells whether a file could be started: by its mode, its name or its first bytes.
func (v *verification) isProgram(e entry) bool {
	if e.mode.IsRegular() && e.mode&0o111 != 0 {
		return true
	}
	switch strings.ToLower(path.Ext(e.path)) {
	case ".sh", ".bash", ".zsh", ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".pl", ".ps1", ".cmd", ".bat", ".com", ".exe", ".dll", ".so", ".dylib", ".jar":
		return true
	}
	if !e.mode.IsRegular() {
		return e.mode&fs.ModeSymlink != 0
	}
	f, err := v.in.Open(e.path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	for _, magic := range []string{"#!", "\x7fELF", "MZ", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"} {
		if strings.HasPrefix(string(head[:n]), magic) {
			return true
		}
	}
	return false
}

// compare tells what a text starts that the one that springfield makes does not; made is nil
// where it makes none.
func (v *verification) compare(e entry, made []byte) {
	data, _, err := v.in.ReadFile(e.path, maxStarting)
	if err != nil {
		v.starts(e.path, inPlugin(err))
		return
	}
	has, isText := plain(data)
	wants, _ := plain(made)
	if isText && has == wants && made != nil {
		return
	}
	var items, known []string
	switch roleOf(e.path) {
	case onPath:
		v.starts(e.path, "a program that springfield does not make, on the PATH of what the agent starts")
		return
	case config:
		if items, err = namedIn(data); err == nil && made != nil {
			known, err = namedIn(made)
		}
		if err != nil {
			v.starts(e.path, "springfield cannot read it: "+err.Error())
			return
		}
	case prompt:
		items, known = activeLines(has), activeLines(wants)
	}
	more := without(items, known)
	switch {
	case len(more) == 0 && made == nil:
		v.texts = append(v.texts, v.finding(textArea, e.path, check.Note, "springfield does not make it; it starts nothing"))
	case len(more) == 0:
		v.texts = append(v.texts, v.finding(textArea, e.path, check.Note, "edited; it starts nothing else than as springfield makes it"))
	default:
		says := "edited; besides what springfield makes it has "
		if made == nil {
			says = "springfield does not make it; it has "
		}
		v.starts(e.path, says+quoteAll(more))
	}
}

// quoteAll quotes some texts, within bounds.
func quoteAll(texts []string) string {
	more := ""
	if n := len(texts) - maxTold; n > 0 {
		texts, more = texts[:maxTold], fmt.Sprintf(" and %d more", n)
	}
	var all []string
	for _, t := range texts {
		all = append(all, excerpt.QuoteUpTo(t, maxQuoted))
	}
	return strings.Join(all, ", ") + more
}

// without are the texts that others do not have, or have less often.
func without(texts, others []string) (more []string) {
	left := map[string]int{}
	for _, t := range others {
		left[t]++
	}
	for _, t := range texts {
		if left[t]--; left[t] < 0 {
			more = append(more, t)
		}
	}
	return more
}

// namedIn are the values of a document that can say what is started, each with the names that
// lead to it. An object that has a command is one value, because its members belong together.
func namedIn(data []byte) ([]string, error) {
	d, err := parseJSON(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		var fault *FileError
		if errors.As(err, &fault) {
			return nil, fault
		}
		return nil, err
	}
	return valuesIn("", d.value), nil
}

// valuesIn are the values below one, which at leads to.
func valuesIn(at string, value any) (all []string) {
	switch is := value.(type) {
	case map[string]any:
		if is["command"] != nil {
			is = withoutTexts(is, "timeout", "name", "statusMessage")
			text, _ := json.Marshal(is) // what was read can be written
			return []string{at + " " + string(text)}
		}
		if at == "" {
			is = withoutTexts(is, "$schema", "name", "displayName", "version", "description", "homepage", "repository", "license", "icon", "category")
			for _, list := range []string{"author", "owner", "keywords", "tags"} {
				delete(is, list)
			}
		}
		for name, member := range is {
			all = append(all, valuesIn(strings.TrimPrefix(at+"."+name, "."), member)...)
		}
		slices.Sort(all)
	case []any:
		for _, item := range is {
			all = append(all, valuesIn(at, item)...)
		}
	default:
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s = %v", at, value)))
	}
	return all
}

// withoutTexts is an object without some members, as far as these are texts or numbers: one of
// that name that is an object can name a program.
func withoutTexts(object map[string]any, names ...string) map[string]any {
	left := map[string]any{}
	for name, value := range object {
		_, isObject := value.(map[string]any)
		_, isList := value.([]any)
		if isObject || isList || !slices.Contains(names, name) {
			left[name] = value
		}
	}
	return left
}

// activeLines are the lines of a Markdown file by which an agent starts something, or is
// allowed to: its head but for what describes it, and commands in the text.
func activeLines(text string) (all []string) {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	head := len(lines) > 0 && strings.TrimSpace(lines[0]) == "---"
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		key, _, _ := strings.Cut(line, ":")
		switch {
		case head && i > 0 && (line == "---" || line == "..."):
			head = false
		case head && i > 0 && line != "" && !slices.Contains([]string{"name", "description", "argument-hint"}, key),
			!head && (strings.Contains(line, "!`") || strings.Contains(line, "```!")):
			all = append(all, line)
		}
	}
	return all
}
