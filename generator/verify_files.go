// What is verified of a plugin besides its programs: the texts that say what an agent
// starts, which are the launcher, files of hooks, manifests and commands, and files that
// springfield does not make. A text may be edited: then what it starts besides is told.

package generator

import (
	"bytes"
	"cmp"
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
	maxNames    = 1_000    // bounds the names that lead to a value, in bytes
)

// examine reads all that is verified of a plugin.
func examine(s Subject) (*verification, error) {
	v := &verification{Subject: s, found: s.found}
	if len(s.found) > 0 {
		return v, nil
	}
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
	v.lookAround(made)
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
	return Spec{Marketplace: "springfield", Owner: Owner{Name: "springfield"}, Targets: []Target{Host()}, Plugins: []Plugin{v.plugin}}, nil
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
		v.texts = append(v.texts, v.finding(textArea, "", check.Failure, fmt.Sprintf("it has more than %d files; the others are not looked at", maxEntries)))
	}
	for _, e := range all {
		if slices.Contains(HookFiles(), e.path) || v.within != "" && strings.HasPrefix(e.path, v.within+"/") {
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
	}
	if len(v.texts) > maxFindings { // what starts something comes first
		order := func(f check.Finding) int { return slices.Index([]check.State{check.Failure, f.State}, f.State) }
		slices.SortStableFunc(v.texts, func(a, b check.Finding) int { return cmp.Compare(order(a), order(b)) })
		v.texts = append(v.texts[:maxFindings:maxFindings], v.finding(textArea, "", check.Warning, "there is more, which is not told"))
	}
}

// extensionManifest is what makes a directory an extension of Gemini CLI.
const extensionManifest = "gemini-extension.json"

// lookAround compares the texts around the plugin, if Gemini CLI has a whole branch of a
// marketplace as its extension: there the plugin is a directory in it.
func (v *verification) lookAround(made []File) {
	name, above := filepath.Base(v.Dir), filepath.Dir(v.Dir)
	in, err := folder.Open(above)
	if err != nil || v.Suite != "" {
		return
	}
	defer func() { _ = in.Close() }()
	if _, err := in.Lstat(extensionManifest); err != nil {
		return
	}
	around := verification{Subject: Subject{Dir: above}, in: in, plugin: v.plugin, within: name}
	var texts []File
	for _, f := range made {
		if file, ok := strings.CutPrefix(f.Path, v.plugin.Name+"/gemini/"); ok {
			f.Path = v.plugin.Name + "/" + file
			f.Data = bytes.ReplaceAll(f.Data, []byte("/../hooks/"), []byte("/"+name+"/hooks/"))
			texts = append(texts, f)
		}
	}
	around.lookAtTexts(texts)
	v.texts, v.compared = append(v.texts, around.texts...), v.compared+around.compared
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

// catalogFile is where agents look for the catalog of a marketplace.
const catalogFile = ".claude-plugin/marketplace.json"

// otherCatalogs are files that some agents take for the catalog, before or after that one, or by
// which they take the whole marketplace for a plugin.
func otherCatalogs() []string {
	return []string{
		".agents/plugins/marketplace.json", ".cursor-plugin/marketplace.json", ".factory-plugin/marketplace.json",
		".github/plugin/marketplace.json", ".plugin/marketplace.json", "marketplace.json",
		".claude-plugin/plugin.json", extensionManifest, "qwen-extension.json",
	}
}

// lookAtEntry looks at what the marketplace adds to the plugin, by the name of the plugin and by
// the one that it is switched on by. A catalog that is not there adds nothing.
func (v *verification) lookAtEntry() {
	if v.Catalog == "" {
		return
	}
	file := cmp.Or(v.CatalogFile, catalogFile)
	data, err := folder.ReadFile(v.Catalog, filepath.FromSlash(file), maxCatalog)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	f := check.Finding{Check: textArea, State: check.Failure, File: filepath.Join(v.Catalog, filepath.FromSlash(file))}
	at := ""
	if folder.Same(filepath.Dir(v.Dir), v.Catalog) {
		at = "./" + filepath.Base(v.Dir)
	}
	id, _, _ := strings.Cut(v.Name, "@")
	var says []string
	if err != nil {
		f.Says = inPlugin(err)
	} else if says, err = addedIn(data, at, v.plugin.Name, id); err != nil {
		f.Says = "springfield cannot read it: " + err.Error()
	} else if len(says) > 0 {
		f.Says = "the marketplace adds to " + v.plugin.Name + ": " + quoteAll(says)
	}
	if f.Says != "" {
		v.texts = append(v.texts, f)
	}
}

// object is a JSON object by the exact names of its members, which a struct would not heed.
type object = map[string]json.RawMessage

// readCatalog reads the catalog of a marketplace, and its entries as far as they are objects.
func readCatalog(data []byte) (catalog object, entries []object, err error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &catalog); err != nil {
		return nil, nil, err
	}
	if err := json.Unmarshal(catalog["plugins"], &raw); err != nil {
		return nil, nil, fmt.Errorf("plugins: %w", err)
	}
	for _, one := range raw {
		var entry object
		if json.Unmarshal(one, &entry) == nil {
			entries = append(entries, entry)
		}
	}
	return catalog, entries, nil
}

// textIn is the text that a value is, "" if it is none.
func textIn(raw json.RawMessage) (is string) {
	_ = json.Unmarshal(raw, &is)
	return is
}

// addedIn are the members of a plugin's entries in a catalog that do more than describe it, or
// that lead agents elsewhere. at is where the plugin lies in the marketplace, "" if it does not.
func addedIn(data []byte, at string, names ...string) (says []string, err error) {
	catalog, entries, err := readCatalog(data)
	if err != nil {
		return nil, err
	}
	var metadata, renames object
	_ = json.Unmarshal(catalog["metadata"], &metadata) // another kind of value says nothing
	_ = json.Unmarshal(catalog["renames"], &renames)
	if root := metadata["pluginRoot"]; root != nil && at != "" {
		says = append(says, "metadata.pluginRoot = "+string(root))
	}
	if slices.ContainsFunc(names, func(name string) bool { return renames[name] != nil }) {
		says = append(says, "renames = "+string(catalog["renames"]))
	}
	for _, entry := range entries {
		source := textIn(entry["source"])
		here := at != "" && source != "" && path.Clean(source) == path.Clean(at)
		if !here && !slices.Contains(names, textIn(entry["name"])) {
			continue
		}
		for _, member := range slices.Sorted(maps.Keys(entry)) {
			if !slices.Contains(describing(), member) || member == "source" && at != "" && !here {
				says = append(says, member+" = "+string(entry[member]))
			}
		}
	}
	return says, nil
}

// besides tells what a suite offers to agents that is none of its plugins.
func besides(dir string, suite Suite) (found []check.Finding) {
	say := func(file string, state check.State, says string) {
		found = append(found, check.Finding{Check: textArea, State: state, File: filepath.Join(dir, filepath.FromSlash(file)), Says: says})
	}
	in, err := folder.Open(dir)
	if err != nil {
		return nil // what reads the plugins tells
	}
	defer func() { _ = in.Close() }()
	for _, file := range otherCatalogs() {
		if _, err := in.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			say(file, check.Failure, "springfield does not make it; an agent may read it in place of the marketplace's catalog")
		}
	}
	data, _, err := in.ReadFile(catalogFile, maxCatalog)
	if err != nil {
		return found
	}
	_, entries, _ := readCatalog(data) // a fault is told with each plugin
	var others []string
	for _, entry := range entries {
		if name := textIn(entry["name"]); !slices.ContainsFunc(suite.Plugins, func(p Plugin) bool { return p.Name == name }) {
			others = append(others, name)
		}
	}
	if len(others) > 0 {
		say(catalogFile, check.Warning, "it also offers what springfield does not make and cannot compare: "+quoteAll(others))
	}
	return found
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
	top, _, inside := strings.Cut(file, "/")
	switch ext := strings.ToLower(path.Ext(file)); {
	case top == "bin" && inside:
		return onPath
	case ext == ".md" && (inside && top != "node_modules" || strings.EqualFold(file, "SKILL.md")):
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
		if !isText {
			v.starts(e.path, "not plain text: it has a byte at which some agents begin a line, or end the text")
			return
		}
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
	at = at[:min(len(at), maxNames)] // each value has them; those of springfield's own texts are shorter
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
// allowed to: its head but for what describes it, and commands in the text. Agents differ in
// where a head begins and ends, so it is as long as for any of them.
func activeLines(text string) (all []string) {
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	head := strings.HasPrefix(lines[0], "---")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t")
		key, _, _ := strings.Cut(line, ":")
		describes := slices.Contains([]string{"name", "description", "argument-hint"}, key) && !strings.ContainsAny(line, "\u0085\u2028\u2029")
		switch {
		case head && i > 0 && line == "---":
			head = false
		case head && i > 0 && line != "" && !describes,
			!head && (strings.Contains(line, "!`") || strings.Contains(line, "```!") || strings.Contains(line, "!{")):
			all = append(all, line)
		}
	}
	return all
}
