//go:build unix

package hostile

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

type input struct {
	name string
	make func(w *world, good string) string
}

// member gives an event a member in place of the one it has.
func member(event, name, value string) string {
	start := strings.Index(event, `"`+name+`":`)
	if start < 0 {
		return event[:len(event)-1] + `,"` + name + `":` + value + `}`
	}
	from := start + len(name) + 3
	was := json.NewDecoder(strings.NewReader(event[from:]))
	_ = was.Decode(new(any)) // the events are JSON
	return event[:from] + value + event[from+int(was.InputOffset()):]
}

var members = []string{"session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "stop_hook_active", "last_assistant_message", "prompt", "background_tasks", "session_crons", "response", "content", "message"}

func inputs() (all []input) {
	add := func(name string, make func(w *world, good string) string) { all = append(all, input{name, make}) }
	fixed := func(name, text string) { add(name, func(*world, string) string { return text }) }
	fixed("nothing", "")
	for _, text := range []string{"\x00", "{", "}", "[]", "null", "true", "1", `""`, "{}", "{}{}", "\ufeff{}", "{\"a\":", "\xff\xfe{\x00}\x00", "// no\n{}", strings.Repeat(" ", 1<<20), strings.Repeat("\x00", 5<<20), "D'oh!"} {
		fixed(clip(text), text)
	}
	for _, deep := range []int{100, 5_000, 20_000, 1_000_000} {
		for _, form := range [][2]string{{"[", "]"}, {`{"a":`, `}`}, {`{"content":`, `}`}} {
			text := strings.Repeat(form[0], deep) + "1" + strings.Repeat(form[1], deep)
			fixed(fmt.Sprintf("%d × %s", deep, form[0]), text)
			for _, name := range []string{"last_assistant_message", "content", "background_tasks", "nothing_we_know"} {
				add(fmt.Sprintf("%d × %s in %s", deep, form[0], name), func(_ *world, good string) string { return member(good, name, text) })
			}
		}
	}
	values := map[string]string{
		"null": "null", "number": "-1e999", "big number": strings.Repeat("9", 10_000), "true": "true", "list": `[1,"a",null,{}]`, "object": `{"content":[{"text":"Moving to Task 2."}]}`,
		"empty": `""`, "NUL": `"\u0000"`, "lone surrogate": `"\ud800"`, "bad UTF-8": "\"\xff\xc0\xaf\"", "terminal": `"\u001b]0;owned\u0007\u009b2J\u202e"`, "newlines": `"a\nb\r\nc"`,
		"dots": `"../../../../canary/file"`, "long": `"` + strings.Repeat("a/", 50_000) + `"`, "3 MiB": `"` + strings.Repeat("Moving to Task 2. ", 170_000) + `"`, "5 MiB": `"` + strings.Repeat("x", 5<<20) + `"`,
	}
	for _, name := range members {
		for what, value := range values {
			add(name+": "+what, func(_ *world, good string) string { return member(good, name, value) })
		}
		add(name+" twice", func(_ *world, good string) string { return good[:len(good)-1] + `,"` + name + `":"x"}` })
		add(name+" is not there", func(_ *world, good string) string {
			return strings.Replace(good, `"`+name+`":`, `"`+strings.ToUpper(name)+`":`, 1)
		})
	}
	for _, event := range []string{"SubagentStop", "PreToolUse", "SessionStart", "stop", "Stop ", "__proto__", ""} {
		add("the event "+event, func(_ *world, good string) string { return member(good, "hook_event_name", `"`+event+`"`) })
	}
	add("cut off", func(_ *world, good string) string { return good[:len(good)/2] })
	add("with something behind it", func(_ *world, good string) string { return good + "\n" + good })
	add("not at its end", func(_ *world, good string) string { return good + strings.Repeat("x", 8<<20) })
	add("ten thousand tasks", func(_ *world, good string) string {
		return member(good, "background_tasks", "["+strings.Repeat(`{"id":"a","type":"shell","command":"x"},`, 9_999)+"{}]")
	})
	for _, path := range []string{"transcript_path", "cwd"} {
		for _, what := range odd {
			add(path+" is "+what, func(w *world, good string) string {
				place := filepath.Join(w.Project, "odd")
				w.plant(place, what)
				return member(good, path, `"`+place+`"`)
			})
		}
		for _, place := range []string{"/", "/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/self/fd/0", "/proc/1/environ", "relative", "~", "-", "//", "/.."} {
			add(path+" is "+place, func(_ *world, good string) string { return member(good, path, `"`+place+`"`) })
		}
	}
	return all
}

// odd is what can lie where a file is expected; plant puts it there.
var odd = []string{"a link to a file", "a link to a directory", "a dangling link", "a link to itself", "a link to nothing's end", "a link to all zeros", "a pipe", "a directory", "a socket's kind of file",
	"empty", "garbage", "NULs", "half", "twice", "sparse", "read-only", "unreadable", "another user's", "not a directory above"}

func (w *world) plant(path, what string) {
	t := w.t
	t.Helper()
	had, _ := os.ReadFile(path)
	must(t, os.RemoveAll(path))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file := func(text string, mode fs.FileMode) {
		must(t, os.WriteFile(path, []byte(text), 0o644))
		must(t, os.Chmod(path, mode))
	}
	links := map[string]string{
		"a link to a file": w.Canary + "/file", "a link to a directory": w.Canary + "/directory", "a dangling link": w.Canary + "/made",
		"a link to itself": filepath.Base(path), "a link to nothing's end": "/dev/null", "a link to all zeros": "/dev/zero",
	}
	if to, ok := links[what]; ok {
		must(t, os.Symlink(to, path))
		return
	}
	switch what {
	case "a pipe":
		must(t, syscall.Mkfifo(path, 0o644))
	case "a directory":
		must(t, os.MkdirAll(filepath.Join(path, "in it"), 0o755))
	case "a socket's kind of file":
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		must(t, err)
		defer syscall.Close(fd)
		if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil { // the path is too long for one
			must(t, syscall.Mkfifo(path, 0o644))
		}
	case "empty":
		file("", 0o644)
	case "garbage":
		file("\xff\xfe{]}\x00\x1b[2J"+strings.Repeat("garbage ", 1000), 0o644)
	case "NULs":
		file(strings.Repeat("\x00", 1<<20), 0o644)
	case "half":
		file(string(had[:len(had)/2]), 0o644)
	case "twice":
		file(string(had)+string(had), 0o644)
	case "sparse":
		file("", 0o644)
		must(t, os.Truncate(path, w.sparse))
	case "read-only":
		file(string(had), 0o444)
	case "unreadable":
		file(string(had), 0)
	case "another user's":
		file(string(had), 0o600) // own() is told to leave it
	case "not a directory above":
		parent := filepath.Dir(path)
		if parent == w.Project || parent == w.Config() || parent == w.Home {
			return // no hook is started in a directory that is not there
		}
		must(t, os.RemoveAll(parent))
		must(t, os.WriteFile(parent, []byte("a file\n"), 0o644))
	default:
		t.Fatalf("nothing is known of %q", what)
	}
}

// transcripts are logs as an attacker, a crash or another program leaves them.
func transcripts() map[string]func(w *world) {
	text := func(make func() string) func(w *world) {
		return func(w *world) { write(w.t, w.Transcript(), make()) }
	}
	user := `{"type":"user","uuid":"u","promptId":"p1","message":{"role":"user","content":"Execute the plan"}}` + "\n"
	said := func(text string) string {
		return `{"type":"assistant","uuid":"a","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
	}
	all := map[string]func(w *world){
		"torn":                text(func() string { return user + said("Moving to Task 2.")[:40] }),
		"torn in a letter":    text(func() string { return user + said("Moving to Täsk 2.")[:95] }),
		"without line ends":   text(func() string { return strings.ReplaceAll(user+said("x"), "\n", "") }),
		"only line ends":      text(func() string { return strings.Repeat("\n", 1<<20) }),
		"CRLF":                text(func() string { return strings.ReplaceAll(user+said("x"), "\n", "\r\n") }),
		"nested":              text(func() string { return strings.Repeat(`{"a":`, 200_000) + strings.Repeat("}", 200_000) + "\n" }),
		"nested in a message": text(func() string { return user + said("x")[:60] + strings.Repeat("[", 500_000) + "\n" }),
		"a hundred thousand":  text(func() string { return user + strings.Repeat(said("Moving on."), 100_000) }),
		"a tool of a million": text(func() string {
			return user + strings.Repeat(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"TodoWrite","input":{"todos":[`+strings.Repeat(`{"content":"x","status":"pending"},`, 2_000)+`{}]}}]}}`+"\n", 20)
		}),
		"tasks without end": text(func() string {
			return user + strings.Repeat(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"TaskCreate","input":{"subject":"x"}}]}}`+"\n"+`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"Task #1 created"}]}}`+"\n", 30_000)
		}),
		"summaries of summaries": text(func() string {
			return user + strings.Repeat(`{"type":"summary","leafUuid":"u","parentUuid":"u","isSidechain":true}`+"\n", 50_000)
		}),
		"a line of long strings": text(func() string {
			return `{"type":"assistant","message":"` + strings.Repeat("\\u00e9", 2_000_000) + `"}` + "\n" + user
		}),
		"backslashes":      text(func() string { return `{"type":"` + strings.Repeat(`\`, 3_000_000) + `"}` + "\n" + user }),
		"keys without end": text(func() string { return "{" + strings.Repeat(`"k":1,`, 500_000) + `"type":"user"}` + "\n" + user }),
		"terminal":         text(func() string { return user + said("\x1b]0;owned\x07") + said(`\u001b[2J\u009b31m\u202emoc`) }),
		"a megabyte of one prompt": text(func() string {
			return `{"type":"user","promptId":"p1","message":{"content":"` + strings.Repeat("a. ", 350_000) + `"}}` + "\n"
		}),
		"a gigabyte of one line": func(w *world) {
			write(w.t, w.Transcript(), user+`{"type":"assistant","message":{"content":"`)
			must(w.t, os.Truncate(w.Transcript(), int64(size(1<<30, 128<<20))))
		},
	}
	for _, what := range odd {
		all[what] = func(w *world) { w.plant(w.Transcript(), what) }
	}
	return all
}

// attempt is one hostile input.
type attempt struct {
	name string
	p    plugin
	do   func(w *world, event string) string
	// state: the attack is recordeds of the state directory, which are the user's.
	state bool
}

// Events, transcripts, files of a project and files of the state directory: with each of them a hook exits 0 with at
// most one answer, in bounded memory and steps, starts nothing and writes nothing outside of its state.
func TestHookInputs(t *testing.T) {
	r := draw(t)
	var events, logs, files, states []attempt
	inputs, transcripts, layers := inputs(), transcripts(), layers() // once: they hold megabytes
	for _, p := range plugins {
		for _, in := range inputs {
			events = append(events, attempt{name: "event " + in.name, p: p, do: in.make})
		}
		for name, make := range transcripts {
			logs = append(logs, attempt{name: "transcript " + name, p: p, do: func(w *world, event string) string { make(w); return event }})
		}
		places := []string{
			".claude", ".claude/springfield", ".claude/springfield/" + p.name + ".json", ".claude/ralph-loop.local.md", ".git", ".git/HEAD", ".git/config",
		}
		for name := range p.files {
			for dir := name; dir != "."; dir = filepath.Dir(dir) { // the file, and every directory above it
				places = append(places, dir)
			}
		}
		for _, dir := range places {
			for _, what := range odd {
				files = append(files, attempt{name: dir + " is " + what, p: p, do: func(w *world, event string) string {
					w.plant(filepath.Join(w.Project, dir), what)
					return event
				}})
			}
		}
		for name, layer := range layers {
			files = append(files, attempt{name: "rules of the project: " + name, p: p, do: func(w *world, event string) string {
				write(w.t, filepath.Join(w.Project, ".claude", "springfield", p.name+".json"), layer)
				if p.event == "" { // a long message is what a pattern takes its time for
					event = member(event, "last_assistant_message", `"`+strings.Repeat("a word of it and ", 2_000)+strings.ReplaceAll(p.says, `"`, "")+`"`)
				}
				return event
			}})
		}
		for _, what := range odd {
			for _, name := range stateOf(t, p) {
				states = append(states, attempt{name: "state " + name + " is " + what, p: p, state: true, do: func(w *world, event string) string {
					w.own()
					first := w.hook(forms()[0], p, event)
					if _, wrong := reads(first); wrong != "" {
						w.t.Errorf("%s: %s", p.name, wrong)
					}
					w.play(p)
					w.plant(w.Config(name), what)
					return strings.Replace(event, `"p1"`, `"p2"`, 1)
				}})
			}
		}
	}
	hosts := hostAttempts()
	rep := newReport(t)
	all := slices.Concat(some(r, events, 8), some(r, logs, 3), some(r, files, 8), some(r, states, 4), some(r, hosts, 8))
	each(all, func(a attempt) {
		w := newWorld(t)
		defer w.done()
		event := a.do(w, w.play(a.p))
		w.own()
		if strings.HasSuffix(a.name, " is another user's") && unprivileged() != 0 {
			must(t, filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					if info, err := d.Info(); err == nil && info.Mode().Perm() == 0o600 {
						return os.Lchown(path, 0, 0)
					}
				}
				return err
			}))
		}
		before := w.outside(a.p)
		o := w.hook(forms()[r0(a.name)%2], a.p, event)
		rep.ran(o)
		said, wrong := reads(o)
		after := w.outside(a.p)
		if a.state && strings.Contains(a.name, " link ") {
			// The state directory is the user's, and a link in it the user's wish:
			// what it leads to is written as if it lay there.
			maps.DeleteFunc(before, w.inCanary)
			maps.DeleteFunc(after, w.inCanary)
		}
		if diff := before.changed(after); wrong == "" && diff != "" {
			wrong = "outside of the state directory: " + diff
		}
		rep.count(string(said), 1)
		if wrong != "" {
			kind := a.name
			if i := strings.LastIndex(kind, " is "); i > 0 {
				kind = kind[i:]
			}
			rep.fault(kind, "%s, %s: %s", a.p.name, a.name, wrong)
		}
	})
	t.Logf("%d events, %d transcripts, %d files of a project, %d files of the state × plugins, %d events and logs of other hosts; %d runs with -seed %d: %d continues, %d stops, at most %d MiB; wrong: %d",
		len(events), len(logs), len(files), len(states), len(hosts), rep.runs, *seed, rep.counts[string(goesOn)], rep.counts[string(stops)], rep.peak>>20, rep.wrong)
}

// r0 spreads attacks over two forms, the same way each time.
func r0(name string) (n int) {
	for _, c := range name {
		n += int(c)
	}
	return n
}

// stateOf are the files that a plugin's decision leaves in the state directory,
// and those that a user can have put there, relative to the configuration.
func stateOf(t *testing.T, p plugin) []string {
	t.Helper()
	w := newWorld(t)
	defer w.done()
	event := w.play(p)
	w.own()
	w.hook(forms()[0], p, event)
	names := []string{"springfield/hold", "springfield/" + p.name + ".json", "springfield/judge.json", "springfield/loops.jsonl"}
	for path := range look(t, nil, w.State()) {
		name, err := filepath.Rel(w.Config(), path)
		must(t, err)
		names = append(names, name)
	}
	if len(names) < 6 {
		t.Fatalf("%s leaves no state: %q", p.name, names)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// layers are settings that a project brings for a plugin.
func layers() map[string]string {
	rule := func(pattern string, n int) string {
		var rules []string
		for i := range n {
			rules = append(rules, fmt.Sprintf(`{"id":"r%d","then":"stop","text":"%s"}`, i, pattern), fmt.Sprintf(`{"id":"e%d","then":"stop","ending":"%s"}`, i, pattern))
		}
		return `{"add":[` + strings.Join(rules, ",") + `]}`
	}
	all := map[string]string{
		"deep":    strings.Repeat(`{"rules":[`, 100_000),
		"command": `{"progress":{"command":["/bin/sh","-c","touch owned"]},"judge":{"client":"/bin/sh","backend":"command","command":["/bin/sh","-c","touch owned"],"cost":0}}`,
		"limits":  `{"budget":{"burst":999999,"prompt":999999,"hour":999999},"limits":{"burst":999999},"ceiling":999999,"protocol":"exit2"}`,
		"reason":  `{"rules":[{"id":"x","then":"continue","pattern":".*","reason":"owned"}]}`,
		"exit2":   `{"protocol":"exit2"}`,
		"huge":    `{"rules":[` + strings.Repeat(`{"id":"a","then":"stop","pattern":"a"},`, 100_000) + `{}]}`,
	}
	for _, bomb := range []string{strings.Repeat(".{0,1000}", 100), "(a*)*b", "(((a{0,1000}){0,1000}){0,1000})", strings.Repeat("(", 10_000), "(a|aa|aaa)*$", "[\\\\x{0}-\\\\x{10ffff}]{1000}", strings.Repeat("a?", 2_000) + strings.Repeat("a", 2_000), "(?i)" + strings.Repeat("[a-z]*", 1_000), "\\\\pL{1000}"} {
		all[fmt.Sprintf("pattern %.20s", bomb)] = rule(bomb, 1)
		all[fmt.Sprintf("ten patterns %.20s", bomb)] = rule(bomb, 10)
	}
	return all
}
