//go:build unix

package hostile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/journal"
)

// What an edit may do to a file, judged by bytes: the members that it is about, and whitespace and a comma beside one
// that comes or goes. All else has to be there as it was.

type where []string

func (w where) String() string { return strings.Join(w, " > ") }

// allowance are the members that an edit is about.
type allowance func(where) bool

// differs says what is not as it has to be, "" if all is.
func differs(before, after string, may allowance) string {
	head, old, foot, err := document(before)
	if err != nil {
		return "an edit of what is not JSON"
	}
	head2, now, foot2, err := document(after)
	switch {
	case err != nil:
		return "what is left is not JSON"
	case old == "" && strings.TrimPrefix(before, "\ufeff") == "":
	case old == "":
	case now == "" && strings.Trim(after, "\ufeff \t\r\n") == "":
		if !allOf(old, nil, may) {
			return fmt.Sprintf("nothing is left of %q", before)
		}
		return ""
	case head != head2 || foot != foot2:
		return fmt.Sprintf("around the document: %q…%q became %q…%q", head, foot, head2, foot2)
	}
	if old == "" {
		old = "{}"
	}
	if now == "" {
		return "nothing is left of the document"
	}
	return objectDiffers(old, now, nil, may)
}

func name(key string) string {
	var s string
	if json.Unmarshal([]byte(key), &s) != nil {
		return key
	}
	return s
}

// allOf tells whether all of a value is what an edit is about: a member, or an object of nothing else.
func allOf(value string, at where, may allowance) bool {
	if may(at) {
		return true
	}
	entries, _, err := scanObject(value)
	if err != nil || len(at) > 2 {
		return false
	}
	for _, e := range entries {
		if !allOf(e.value, append(slices.Clone(at), name(e.key)), may) {
			return false
		}
	}
	return len(at) == 0 || containers[at[0]] && (len(entries) > 0 || len(at) == 1)
}

// containers are the objects that hold members of ours.
var containers = map[string]bool{"enabledPlugins": true, "env": true, "extraKnownMarketplaces": true}

func objectDiffers(before, after string, at where, may allowance) string {
	old, _, err1 := scanObject(before)
	now, _, err2 := scanObject(after)
	if err1 != nil || err2 != nil {
		return fmt.Sprintf("%s: %q became %q", at, before, after)
	}
	later := func(list []entry, key string) bool {
		return slices.ContainsFunc(list, func(e entry) bool { return e.key == key })
	}
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		switch {
		case i < len(old) && j < len(now) && old[i].key == now[j].key:
			o, n := old[i], now[j]
			here := append(slices.Clone(at), name(o.key))
			switch {
			case o.gap != n.gap:
				return fmt.Sprintf("%s: what is between key and value: %q became %q", here, o.gap, n.gap)
			case o.lead != n.lead && i > 0 && j > 0 && old[i-1].key == now[j-1].key:
				return fmt.Sprintf("%s: what is in front of it: %q became %q", here, o.lead, n.lead)
			case o.tail != n.tail && i+1 < len(old) && j+1 < len(now) && old[i+1].key == now[j+1].key:
				return fmt.Sprintf("%s: what is behind it: %q became %q", here, o.tail, n.tail)
			case o.value == n.value || may(here):
			case len(at) == 0 && containers[here[0]]:
				if diff := objectDiffers(o.value, n.value, here, may); diff != "" {
					return diff
				}
			default:
				return fmt.Sprintf("%s: %q became %q", here, o.value, n.value)
			}
			i, j = i+1, j+1
		case j < len(now) && !later(old[i:], now[j].key):
			if here := append(slices.Clone(at), name(now[j].key)); !allOf(now[j].value, here, may) {
				return fmt.Sprintf("%s: %q is new", here, now[j].value)
			}
			j++
		case i < len(old) && !later(now[j:], old[i].key):
			if here := append(slices.Clone(at), name(old[i].key)); !allOf(old[i].value, here, may) {
				return fmt.Sprintf("%s: %q is gone", here, old[i].value)
			}
			i++
		default:
			return fmt.Sprintf("%s: the order has changed: %q became %q", at, before, after)
		}
	}
	if len(old) > 0 && len(now) > 0 && old[len(old)-1].key == now[len(now)-1].key && old[len(old)-1].tail != now[len(now)-1].tail {
		return fmt.Sprintf("%s: the end: %q became %q", at, old[len(old)-1].tail, now[len(now)-1].tail)
	}
	return ""
}

func saying(text string, at ...string) string {
	_, value, _, err := document(text)
	for _, key := range at {
		entries, _, scanned := scanObject(value)
		if err != nil || scanned != nil {
			return ""
		}
		value = ""
		for _, e := range entries {
			if name(e.key) == key {
				value = e.value
			}
		}
	}
	return value
}

// What people and other programs do to a settings file.
var hands = map[string]func(r *rand.Rand, text string) string{
	"reorders": func(r *rand.Rand, text string) string {
		return rebuilt(text, func(entries []entry) []entry {
			values := slices.Clone(entries)
			for i, j := range r.Perm(len(entries)) {
				entries[i].key, entries[i].gap, entries[i].value = values[j].key, values[j].gap, values[j].value
			}
			return entries
		})
	},
	"removes": func(r *rand.Rand, text string) string {
		return rebuilt(text, func(entries []entry) []entry {
			i := r.IntN(len(entries))
			return slices.Delete(entries, i, i+1)
		})
	},
	"adds": func(r *rand.Rand, text string) string {
		return rebuilt(text, func(entries []entry) []entry {
			added := []string{
				`"model":"opus"`, `"a":1.0`, `"\u00e9":"\u00e9 \/ é"`, `"permissions":{"allow":["Bash(a && b)"],"allow":["<b>"]}`, `"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}`,
				`"env":{"PATH":"x","CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"3"}`, `"env": { }`, `"enabledPlugins":{"double-shot-latte@elsewhere":true,"other@market":true}`, `"enabledPlugins":{}`,
				`"extraKnownMarketplaces":{"other":{"source":{"source":"github","repo":"a/b"}}}`, `"enabledPlugins":{"ned-flanders@hostile":false}`, `"enabled\u0050lugins":{"x@y":true}`,
				`"big":123456789012345678901234567890`, `"":""`, `"e":1E+2`, `"deep":[[[[{"a":[]}]]]]`, `"enabledPlugins":[]`, `"env":null`,
			}[r.IntN(18)]
			key, value, _ := strings.Cut(added, ":")
			if slices.ContainsFunc(entries, func(e entry) bool { return e.key == key }) && r.IntN(10) > 0 {
				return entries
			}
			return slices.Insert(entries, r.IntN(len(entries)+1), entry{"\n\t ", key, []string{":", ": ", " :\n"}[r.IntN(3)], value, []string{"", " "}[r.IntN(2)]})
		})
	},
	"switches": func(r *rand.Rand, text string) string {
		for _, to := range [][2]string{{"true", "false"}, {"false", "true"}}[r.IntN(2):] {
			if at := strings.LastIndex(text, to[0]); at >= 0 {
				return text[:at] + to[1] + text[at+len(to[0]):]
			}
		}
		return text
	},
	"lays out anew": func(r *rand.Rand, text string) string {
		var b bytes.Buffer
		bare := strings.TrimPrefix(text, "\ufeff")
		if err := json.Indent(&b, []byte(bare), "", []string{"\t", "  ", "    ", ""}[r.IntN(4)]); err != nil {
			return text
		}
		return b.String()
	},
	"compacts": func(r *rand.Rand, text string) string {
		var b bytes.Buffer
		if json.Compact(&b, []byte(strings.TrimPrefix(text, "\ufeff"))) != nil {
			return text
		}
		return b.String()
	},
	"CRLF":       func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "\n", "\r\n") },
	"LF":         func(_ *rand.Rand, text string) string { return strings.ReplaceAll(text, "\r\n", "\n") },
	"BOM":        func(_ *rand.Rand, text string) string { return "\ufeff" + strings.TrimPrefix(text, "\ufeff") },
	"no newline": func(_ *rand.Rand, text string) string { return strings.TrimRight(text, "\r\n") },
	"newlines":   func(_ *rand.Rand, text string) string { return text + "\n \n" },
	"comments":   func(_ *rand.Rand, text string) string { return "// no JSON\n" + text },
	"no comment": func(_ *rand.Rand, text string) string { return strings.TrimPrefix(text, "// no JSON\n") },
	"empties":    func(*rand.Rand, string) string { return "" },
	"begins":     func(*rand.Rand, string) string { return "{\n  \"model\": \"opus\",\n  \"a\": [1.0, \"&&\"]\n}\n" },
}

func rebuilt(text string, change func([]entry) []entry) string {
	head, object, foot, err := document(text)
	if err != nil || object == "" {
		return text
	}
	entries, _, err := scanObject(object)
	if err != nil || len(entries) == 0 {
		return text
	}
	var b strings.Builder
	for i, e := range change(entries) {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(e.lead + e.key + e.gap + e.value + e.tail)
	}
	return head + "{" + b.String() + "}" + foot
}

// custody is what springfield has of a file that it has edited, as told by what it was asked for.
type custody struct {
	first   string          // the bytes before it was touched
	there   bool            // there was a file
	holds   map[string]bool // plugins that it has switched on in it, and files it declares a marketplace for
	touched map[string]bool // paths
	foreign bool            // another hand has been at it since
}

// frame is one edit that can be undone.
type frame struct {
	before, after map[string]string
	custody       map[string]custody
}

// desk is one user's settings, springfield's edits and the oracle's memory.
type desk struct {
	t       *testing.T
	r       *rand.Rand
	w       *world
	p       client.Places
	files   map[client.Scope]string
	custody map[string]custody
	frames  []frame
	gaps    bool // an edit was passed over, so that the frames before it do not tell all
	story   []string
	rep     *report
}

const missing = "\x00missing"

func (d *desk) kept() map[string]custody {
	all := maps.Clone(d.custody)
	for file, c := range all {
		c.holds, c.touched = maps.Clone(c.holds), maps.Clone(c.touched)
		all[file] = c
	}
	return all
}

// byAnother notes that springfield's memory of a file does not tell all.
func (d *desk) byAnother(file string) {
	c := d.custody[file]
	c.foreign = true
	d.custody[file] = c
}

func (d *desk) now() map[string]string {
	all := map[string]string{}
	for _, file := range d.files {
		all[file] = missing
		if data, err := os.ReadFile(file); err == nil {
			all[file] = string(data)
		}
	}
	return all
}

func (d *desk) wrong(kind, format string, args ...any) {
	d.rep.fault(kind, "%s: %s", strings.Join(d.story, "; "), fmt.Sprintf(format, args...))
}

func text(s string) string {
	if s == missing {
		return ""
	}
	return s
}

// foreign has another hand change a file.
func (d *desk) foreign() {
	scope := client.AllScopes()[d.r.IntN(3)]
	file := d.files[scope]
	names := slices.Sorted(maps.Keys(hands))
	what := names[d.r.IntN(len(names))]
	had := d.now()[file]
	has := hands[what](d.r, text(had))
	if has == had || had == missing && has == "" {
		return
	}
	d.story = append(d.story, fmt.Sprintf("a hand %s %s", what, scope))
	d.rep.count("hands", 1)
	d.byAnother(file)
	write(d.t, file, has)
	if d.r.IntN(20) == 0 && scope == client.User { // a dotfiles repository
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			kept := filepath.Join(d.w.dir, "dotfiles", "settings.json")
			must(d.t, os.MkdirAll(filepath.Dir(kept), 0o755))
			must(d.t, os.Rename(file, kept))
			must(d.t, os.Symlink(kept, file))
		}
	}
}

// edit makes a plan and applies it. may says what it is about, by file.
func (d *desk) edit(what string, plan func() (journal.Change, error), may func(file string) allowance) (after map[string]string, done bool) {
	d.story = append(d.story, what)
	before := d.now()
	p, err := plan()
	if err == nil {
		err = settings.Journal(d.p).ApplyChange(p)
	}
	after = d.now()
	d.rep.count("calls", 1)
	if err != nil {
		d.rep.count("refused", 1)
		if !maps.Equal(before, after) {
			d.wrong("a refusal that writes", "%v: %q became %q", err, before, after)
		}
		return after, false
	}
	for file, was := range before {
		is := after[file]
		switch {
		case was == is, d.custody[file].touched != nil && is == d.custody[file].first: // what free demands
		case is == missing:
			if c := d.custody[file]; c.there || c.touched == nil && !d.gaps {
				d.wrong("a file is gone", "%s, which was %q", filepath.Base(file), was)
			}
		default:
			if diff := differs(text(was), is, may(file)); diff != "" {
				d.wrong("another's bytes", "%s: %s\n%q\n%q", filepath.Base(file), diff, was, is)
			}
		}
	}
	if !p.IsEmpty() {
		d.frames = append(d.frames, frame{before: before, after: after, custody: d.kept()})
	}
	return after, true
}

// take begins custody of a file that is about to be edited.
func (d *desk) take(file, was string) custody {
	c := d.custody[file]
	if len(c.holds) == 0 {
		c = custody{first: was, there: was != missing, holds: map[string]bool{}, touched: map[string]bool{}}
	}
	d.custody[file] = c
	return c
}

// free ends custody where nothing is held any more: nothing of springfield's may be left then.
func (d *desk) free(file, is string) {
	c := d.custody[file]
	if len(c.holds) > 0 || c.touched == nil {
		return
	}
	if !c.foreign && !d.gaps {
		d.rep.count("given back", 1)
		if is != c.first {
			d.wrong("the old bytes are not given back", "%s was %q, is %q", filepath.Base(file), c.first, is)
		}
	}
	delete(d.custody, file)
}

const (
	cap8   = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
	market = "hostile"
	latte  = "double-shot-latte@superpowers-marketplace"
)

var ours = []string{"ned-flanders", "lisa-simpson", "ralph-wiggum", "todo-continuation"}

func (d *desk) enable() {
	suite, err := direct()
	must(d.t, err)
	plugin := ours[d.r.IntN(len(ours))]
	scope := client.AllScopes()[d.r.IntN(3)]
	e := settings.Switch{
		Plugin: client.Plugin{Name: plugin, Marketplace: market, Suite: suite}, Scope: scope,
		Declare: d.r.IntN(2) == 0, Keep: d.r.IntN(4) == 0, DecidesNothing: plugin == "todo-continuation", Conflicts: settings.ConflictsKeep,
	}
	if plugin == "ralph-wiggum" {
		e.MaxContinues = 26
	}
	file, user, id := d.files[scope], d.files[client.User], e.Plugin.ID()
	before, saved := d.now(), d.kept()
	after, done := d.edit(fmt.Sprintf("enable %s %s declare=%v keep=%v", plugin, scope, e.Declare, e.Keep),
		func() (journal.Change, error) { return settings.ReadSettings(d.p).PlanEnable(e) },
		func(f string) allowance {
			return func(at where) bool {
				switch {
				case f == user && e.Declare && len(at) == 2 && at[0] == "extraKnownMarketplaces" && at[1] == market:
					return true
				case f != file || len(at) != 2:
					return false
				case at[0] == "env" && at[1] == cap8:
					return e.MaxContinues > 8
				case at[0] == "enabledPlugins" && at[1] == id:
					return true
				case at[0] == "enabledPlugins" && !e.DecidesNothing:
					isLatte := strings.HasPrefix(at[1], "double-shot-latte@")
					isOurs := strings.HasSuffix(at[1], "@"+market)
					return (isLatte || isOurs && !e.Keep) && (at[1] == latte || saying(text(d.now()[f]), at...) == "false")
				}
				return false
			}
		})
	if !done {
		d.custody = saved
		return
	}
	if saying(text(after[file]), "enabledPlugins", id) != "true" {
		d.wrong("not switched on", "%q", after[file])
	}
	if file == user && !e.DecidesNothing && saying(text(after[file]), "enabledPlugins", latte) != "false" {
		d.wrong("double-shot-latte is not off", "%q", after[file])
	}
	if e.Declare && saying(text(after[user]), "extraKnownMarketplaces", market) == "" {
		d.wrong("not declared", "%q", after[user])
	}
	c := d.take(file, before[file])
	if !e.DecidesNothing && !e.Keep {
		for held := range c.holds {
			if !strings.HasPrefix(held, "declared ") && held != "todo-continuation@"+market {
				delete(c.holds, held)
			}
		}
	}
	c.holds[id] = true
	if e.Declare && user != file {
		d.take(user, before[user]).holds["declared "+file] = true
	}
}

func (d *desk) disable(plugin string, scope client.Scope) {
	suite, err := direct()
	must(d.t, err)
	p := client.Plugin{Name: plugin, Marketplace: market, Suite: suite}
	file, user, id := d.files[scope], d.files[client.User], p.ID()
	held := d.custody[file].holds[id] || d.gaps
	before := d.now()
	after, done := d.edit(fmt.Sprintf("disable %s %s", plugin, scope),
		func() (journal.Change, error) { return settings.ReadSettings(d.p).Disable(p, scope) },
		func(f string) allowance {
			return func(at where) bool {
				if len(at) != 2 {
					return false
				}
				switch {
				case f == user && at[0] == "extraKnownMarketplaces" && at[1] == market:
					return held
				case f != file:
					return false
				case at[0] == "enabledPlugins" && at[1] == id:
					return true
				case at[0] == "env" && at[1] == cap8:
					return held
				}
				return held && at[0] == "enabledPlugins" && (strings.HasPrefix(at[1], "double-shot-latte@") || strings.HasSuffix(at[1], "@"+market))
			}
		})
	if !done {
		return
	}
	if !held {
		if before[file] != after[file] && d.custody[file].holds != nil {
			d.byAnother(file)
		}
		return
	}
	c := d.custody[file]
	if c.holds == nil {
		return // gaps
	}
	delete(c.holds, id)
	others := slices.ContainsFunc(slices.Collect(maps.Keys(c.holds)), func(h string) bool { return !strings.HasPrefix(h, "declared ") })
	if !others && user != file {
		if u := d.custody[user]; u.holds["declared "+file] {
			delete(u.holds, "declared "+file)
			d.free(user, after[user])
		}
	}
	d.free(file, after[file])
}

func (d *desk) mend() {
	scope := client.AllScopes()[d.r.IntN(3)]
	file := d.files[scope]
	before := d.now()
	what, member := "double-shot-latte off", where{"enabledPlugins", latte}
	plan := func() (journal.Change, error) { return settings.ReadSettings(d.p).SwitchOff(scope, latte) }
	if d.r.IntN(2) != 0 {
		what, member = "block cap", where{"env", cap8}
		plan = func() (journal.Change, error) { return settings.ReadSettings(d.p).SetVariable(scope, cap8, "30") }
	}
	after, done := d.edit(fmt.Sprintf("doctor --fix: %s, %s", what, scope), plan, func(f string) allowance {
		return func(at where) bool { return f == file && slices.Equal(at, member) }
	})
	if done && d.custody[file].holds != nil && before[file] != after[file] {
		d.byAnother(file)
	}
}

func (d *desk) undo() {
	d.story = append(d.story, "undo")
	d.rep.count("calls", 1)
	before := d.now()
	plan, err := settings.Journal(d.p).PlanUndo()
	if err == nil {
		err = settings.Journal(d.p).ApplyChange(plan.Change)
	}
	after := d.now()
	if len(d.frames) == 0 {
		if !errors.Is(err, journal.ErrNothingToUndo) || !maps.Equal(before, after) {
			d.wrong("undo of nothing", "%v", err)
		}
		return
	}
	f := d.frames[len(d.frames)-1]
	intact := true
	for file := range before {
		intact = intact && before[file] == f.after[file]
	}
	switch {
	case err != nil && intact:
		d.wrong("undo refuses", "%v", err)
	case err != nil:
		d.rep.count("refused", 1)
		if !maps.Equal(before, after) {
			d.wrong("a refusal that writes", "%v", err)
		}
		if _, err := settings.Journal(d.p).ForgetNewest(); err != nil {
			d.wrong("undo --forget", "%v", err)
		}
		d.frames = d.frames[:len(d.frames)-1]
		d.gaps = true
	default:
		d.rep.count("undone", 1)
		for file := range before {
			want := before[file]
			if f.before[file] != f.after[file] {
				want = f.before[file]
			}
			if after[file] != want {
				d.wrong("undo does not give the old bytes back", "%s was %q, is %q", filepath.Base(file), want, after[file])
			}
		}
		for file, c := range f.custody {
			c.foreign = c.foreign || d.custody[file].foreign && before[file] != f.after[file]
			f.custody[file] = c
		}
		d.custody, d.frames = f.custody, d.frames[:len(d.frames)-1]
	}
}

func (d *desk) history() {
	for range 3 + d.r.IntN(9) {
		switch n := d.r.IntN(12); {
		case n < 4:
			d.enable()
		case n < 7:
			d.disable(ours[d.r.IntN(len(ours))], client.AllScopes()[d.r.IntN(3)])
		case n < 9:
			d.undo()
		case n < 10:
			d.mend()
		default:
			d.foreign()
		}
	}
	if d.r.IntN(2) == 0 { // to the end: nothing of ours may be left
		for _, scope := range client.AllScopes() {
			for range 2 {
				for _, plugin := range ours {
					if d.custody[d.files[scope]].holds[plugin+"@"+market] {
						d.disable(plugin, scope)
					}
				}
			}
		}
	} else {
		for range len(d.frames) {
			d.undo()
		}
	}
}

// Thousands of histories of enable, disable, undo and what doctor --fix writes, with other hands between them: an
// edit is the members it is about, a refusal is nothing, and what is taken back is as it was, byte for byte.
func TestSettingsHistories(t *testing.T) {
	base := draw(t)
	rep := newReport(t)
	n := size(6000, 80)
	var mu sync.Mutex
	seeds := make([][2]uint64, n)
	for i := range seeds {
		seeds[i] = [2]uint64{base.Uint64(), base.Uint64()}
	}
	each(seeds, func(s [2]uint64) {
		w := newWorld(t)
		defer w.done()
		r := rand.New(rand.NewPCG(s[0], s[1]))
		p := client.Places{Config: w.Config(), Plugins: w.Config("plugins"), Home: w.Home, Managed: filepath.Join(w.dir, "managed"), Work: w.Project, Root: w.Project}
		d := &desk{t: t, r: r, w: w, p: p, files: map[client.Scope]string{}, custody: map[string]custody{}, rep: rep}
		for _, scope := range client.AllScopes() {
			file := p.Settings(scope)
			d.files[scope] = file
			if r.IntN(3) > 0 {
				style := hands[[]string{"lays out anew", "compacts", "CRLF", "BOM", "no newline", "newlines"}[r.IntN(6)]]
				begin := hands["begins"](r, "")
				for range r.IntN(4) {
					begin = hands["adds"](r, begin)
				}
				write(t, file, style(r, begin))
			}
		}
		d.history()
		mu.Lock()
		rep.runs++
		mu.Unlock()
	})
	t.Logf("%d histories with -seed %d: %d calls, %d refused, %d undone, %d times all given back, %d edits by other hands; wrong: %d",
		rep.runs, *seed, rep.counts["calls"], rep.counts["refused"], rep.counts["undone"], rep.counts["given back"], rep.counts["hands"], rep.wrong)
}

// The oracle sees what it is there for.
func TestOracleSees(t *testing.T) {
	may := func(at where) bool { return len(at) == 2 && at[0] == "enabledPlugins" && at[1] == "a" }
	const was = "{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": true}\n}\n"
	for i, is := range []string{
		was, "{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": true, \"a\": true}\n}\n", // these two are fine
		"{\n  \"x\": 1,\n  \"enabledPlugins\": {\"b\": true, \"a\": true}\n}\n",
		"{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": true, \"a\": true}\n}",
		"{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": false, \"a\": true}\n}\n",
		"{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"a\": true}\n}\n",
		"{\n  \"x\":1.0,\n  \"enabledPlugins\": {\"b\": true, \"a\": true}\n}\n",
		"{\n  \"enabledPlugins\": {\"b\": true, \"a\": true},\n  \"x\": 1.0\n}\n",
		"{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": true, \"a\": true, \"c\": 1}\n}\n",
		"{\n  \"x\": 1.0,\n  \"enabledPlugins\": {\"b\": true, \"a\": true}}\n",
		"{\n    \"x\": 1.0,\n\t\"enabledPlugins\": {\"b\": true, \"a\": true}\n}\n",
		"\ufeff" + was, "", "{}",
	} {
		if diff := differs(was, is, may); (diff == "") != (i < 2) {
			t.Errorf("%q as an edit of %q: %q", is, was, diff)
		}
	}
}
