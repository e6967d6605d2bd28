package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/cameronsjo/springfield/runtime/registry"
)

// Every springfield command that a message names is run, in the state that the message
// is about. It must be usable as it stands, and must not lead back to the same message.
//
// A state is a file in testdata/hints: files, and lines that make it.
//
//	do ARGS            springfield is called, with success
//	try ARGS           springfield is called, and the commands that it names are run
//	by hand ARGS       try, where a person has to do something besides the command
//	next ARGS          try, and the last line has to name a command
//	files              the files are written now, not at the beginning
//	remove FILE, mode FILE, replace FILE OLD NEW, link FILE TARGET, copy FILE FILE, spoil FILES
//	stop PLUGIN        its hook decides about the session in log.jsonl
//	in Claude          from here on Claude calls
//	fill WORD VALUE    a word in capitals stands for this
//
// $WORK is the directory that everything is in. The working directory is work.
func TestHintsLeadOn(t *testing.T) {
	h := hints{world: newWorld(t), made: map[string]string{}, followed: map[string]bool{}}
	files, err := filepath.Glob("testdata/hints/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files of states: %v", len(files), err)
	}
	for _, file := range files {
		all, err := txtar.ParseFile(file)
		must(t, err)
		for _, s := range statesOf(all) {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+s.name, func(t *testing.T) { h.walk(t, s) })
		}
	}
	if len(h.followed) < 60 {
		t.Errorf("%d commands were followed", len(h.followed))
	}
}

// state is a state of the files, and what is tried in it.
type state struct {
	name  string
	lines []string
	files []txtar.File
}

// statesOf takes a file apart: a state begins with a line "# name".
func statesOf(a *txtar.Archive) (all []state) {
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		name, begins := strings.CutPrefix(line, "# ")
		switch {
		case begins:
			all = append(all, state{name: name})
		case line != "" && len(all) > 0:
			all[len(all)-1].lines = append(all[len(all)-1].lines, line)
		}
	}
	for i := range all {
		for _, f := range a.Files {
			if prefix, rest, _ := strings.Cut(f.Name, ":"); rest == "" {
				all[i].files = append(all[i].files, f)
			} else if prefix == all[i].name {
				all[i].files = append(all[i].files, txtar.File{Name: rest, Data: f.Data})
			}
		}
	}
	return all
}

// hints walks the states in one world, one after the other.
type hints struct {
	world
	made     map[string]string // the calls that made a state: a copy of the world after them
	followed map[string]bool
	fills    map[string]string
}

func (h *hints) walk(t *testing.T, s state) {
	h.caller = nil
	h.fills = map[string]string{
		"DIR": "fresh", "PLUGIN": "ned-flanders", "NAME": "left-handed", "KEY": "budget.burst", "KEY=VALUE": "budget.burst=4", "N": "4",
		"STRATEGY": "ned-flanders", "SESSION.jsonl": h.path("log.jsonl"), "FILE": h.path("log.jsonl"),
	}
	done := ""
	if h.made[done] == "" { // the world as it was at first
		h.made[done] = h.keep(t)
	}
	h.copy(t, h.made[done])
	if !slices.Contains(s.lines, "files") {
		h.put(t, s)
		done += "files of " + s.name + "\n"
	}
	for _, line := range s.lines {
		words := words(strings.ReplaceAll(line, "$WORK", h.dir))
		done += line + "\n"
		switch words[0] {
		case "do":
			h.step(t, done, func() { h.must(t, words[1:]...) })
		case "try":
			h.try(t, words[1:], false)
		case "by":
			h.try(t, words[2:], true)
		case "next":
			first := h.try(t, words[1:], false)
			text := strings.TrimSpace(cmp.Or(first.out, first.err))
			if last := text[strings.LastIndex(text, "\n")+1:]; len(h.named(called{out: last}, words[1:])) == 0 {
				t.Errorf("springfield %s ends without a command to type:\n%s", strings.Join(words[1:], " "), text)
			}
		case "files":
			h.put(t, s)
		case "fill":
			h.fills[words[1]] = words[2]
		case "in":
			h.caller = registry.DefaultHost()
		case "stop":
			h.step(t, done, func() { h.stop(t, h.path("work", "hooks", words[1]), "s1", h.path("log.jsonl")) })
		default:
			h.edit(t, words)
		}
	}
}

// path is a file of the world.
func (h *hints) path(name ...string) string {
	return filepath.Join(append([]string{h.dir}, name...)...)
}

// step makes a state, or takes the one that the same lines have made before.
func (h *hints) step(t *testing.T, done string, makes func()) {
	if from, ok := h.made[done]; ok {
		h.copy(t, from)
		return
	}
	makes()
	if strings.Count(done, "\n") <= 2 { // the beginnings that states share
		h.made[done] = h.keep(t)
	}
}

// keep copies the world.
func (h *hints) keep(t *testing.T) string {
	t.Helper()
	copied, err := os.MkdirTemp(filepath.Dir(h.dir), "kept")
	must(t, err)
	must(t, os.CopyFS(copied, os.DirFS(h.dir)))
	return copied
}

// copy puts a kept world in the place of this one.
func (h *hints) copy(t *testing.T, from string) {
	t.Helper()
	must(t, os.RemoveAll(h.dir))
	must(t, os.CopyFS(h.dir, os.DirFS(from)))
}

func (h *hints) put(t *testing.T, s state) {
	for _, f := range s.files {
		h.write(t, f.Name, strings.NewReplacer("$WORK", h.dir, "LOG\n", pastSession, "LONG\n", strings.Repeat("long ", 10_000)).Replace(string(f.Data)))
	}
}

// edit is one step of a state that no springfield makes.
func (h *hints) edit(t *testing.T, words []string) {
	t.Helper()
	file, err := h.path(words[1]), error(nil)
	switch words[0] {
	case "remove":
		err = os.RemoveAll(file)
	case "mode":
		err = os.Chmod(file, 0o644)
	case "link":
		err = os.Symlink(words[2], file)
	case "copy":
		if err = os.MkdirAll(filepath.Dir(h.path(words[2])), 0o755); err == nil {
			if info, _ := os.Stat(file); info != nil && info.IsDir() {
				err = os.CopyFS(h.path(words[2]), os.DirFS(file))
			} else if data, readErr := os.ReadFile(file); readErr == nil {
				err = os.WriteFile(h.path(words[2]), data, 0o755)
			}
		}
	case "spoil":
		var all []string
		if all, err = filepath.Glob(file); err == nil && len(all) == 0 {
			err = fmt.Errorf("there is no %s", words[1])
		}
		for _, each := range all {
			err = errors.Join(err, os.WriteFile(each, []byte("{"), 0o644))
		}
	case "replace":
		var data []byte
		if data, err = os.ReadFile(file); err == nil && !strings.Contains(string(data), words[2]) {
			err = fmt.Errorf("%s has no %s: %s", words[1], words[2], data)
		} else if err == nil {
			err = os.WriteFile(file, []byte(strings.ReplaceAll(string(data), words[2], words[3])), 0o644)
		}
	default:
		err = fmt.Errorf("no step %q", words)
	}
	must(t, err)
}

// try calls springfield and follows each command that it names, each from the same state.
func (h *hints) try(t *testing.T, args []string, byHand bool) called {
	t.Helper()
	first := h.call(t, args...)
	after := h.keep(t)
	all := h.named(first, args)
	for _, n := range all {
		h.copy(t, after)
		h.follow(t, args, first, n, []string{problem(first)}, byHand)
	}
	h.copy(t, after)
	return first
}

// named is a command in a message.
type named struct {
	args []string
	line string // that it is in
}

// looks are the commands that change nothing, so that they alone mend nothing.
var looks = []string{"status", "why", "log", "list", "explain", "replay", "validate", "version"}

// follow runs a command that a message names.
func (h *hints) follow(t *testing.T, tried []string, first called, n named, seen []string, byHand bool) {
	t.Helper()
	h.followed[strings.Join(n.args, " ")] = true
	got := h.call(t, n.args...)
	if strings.Contains(got.err, "asks only at a terminal") {
		got = h.call(t, append(n.args, "--yes")...)
	}
	says := func(why string) {
		t.Errorf("springfield %s\n%s%s says\n\t%s\nspringfield %s: exit code %d, %s\n%s%s", strings.Join(tried, " "), first.out, first.err, n.line, strings.Join(n.args, " "), got.code, why, got.out, got.err)
	}
	switch {
	case slices.Contains([]string{"hold", "resume", "away"}, n.args[0]) && strings.Contains(got.err, "terminal"): // other tests sit at one
	case got.code == wrongUsage:
		says("it cannot be called like that")
	case got.code != 0 && slices.Contains(seen, problem(got)):
		says("that is the same again")
	case got.code != 0 && len(seen) < 4:
		after := h.keep(t)
		for _, next := range h.named(got, n.args) {
			h.copy(t, after)
			h.follow(t, n.args, got, next, append(slices.Clone(seen), problem(got)), byHand)
		}
	case got.code == 0 && !byHand && first.code != 0 && n.args[0] != tried[0] && !slices.Contains(looks, n.args[0]) && !slices.Contains(n.args, "--help"):
		if again := h.call(t, tried...); again.code != 0 && problem(again) == problem(first) && strings.Contains(strings.Join(strings.Fields(again.out+again.err), " "), n.line) {
			says("and after it springfield " + strings.Join(tried, " ") + " says the same again")
		}
	}
}

// problem is the error of a call, "" for none.
func problem(c called) string {
	_, problem, _ := strings.Cut(c.err, "error: ")
	return strings.TrimSpace(problem)
}

var (
	verbNames = []string{
		"init", "new", "build", "update", "validate", "enable", "disable", "set", "doctor", "undo", "status", "why", "log", "hold", "resume", "list",
		"loop", "replay", "explain", "publish", "completion", "version", "away", "back", "--help",
	}
	begins   = regexp.MustCompile(`springfield (` + strings.Join(verbNames, "|") + `)(?:[ ;:,.)]|$)`)
	anyWord  = []string{"start", "stop", "set", "show", "history", "rerun", "max", "active", "true", "false", "user", "project", "local", "managed", "go", "prebuilt", "patch", "minor", "major", "all", "wrong", "ned-flanders", "ralph-wiggum", "bash"}
	argument = regexp.MustCompile(`^(-.*|.*[/@=~ ].*|[A-Z][A-Z=./_]*(\.jsonl)?|[0-9][0-9a-z]*|[0-9a-z]*[0-9][0-9a-z]*|[a-z]+-[a-z-]+)$`)
)

// named are the commands in what a call printed, but for what it says is wrong.
func (h *hints) named(c called, tried []string) (all []named) {
	if strings.Contains(c.out, "\nUsage:\n") {
		return nil // help, whose examples another test looks at
	}
	text := strings.ReplaceAll(c.out+c.err, "\n ", " ") // lines that go on
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "springfield: error:") || strings.Contains(line, "did you mean") { // names, no calls
			continue
		}
		line = strings.Join(strings.Fields(line), " ")
		for _, at := range begins.FindAllStringIndex(line, -1) {
			sentence := words(strings.TrimPrefix(line[at[0]:], "springfield "))
			args := h.arguments(sentence, tried)
			if rest := sentence[len(args):]; len(rest) > 0 && rest[0] == "again" {
				continue // the same call, after something that a person does
			}
			if !slices.ContainsFunc(all, func(n named) bool { return slices.Equal(n.args, args) }) {
				all = append(all, named{args, line})
			}
		}
	}
	return all
}

// arguments are the words of a sentence that are a command's, up to the first one that is plain English.
func (h *hints) arguments(sentence, tried []string) (args []string) {
	value := false // the last one is a flag that takes a value
	for i, word := range sentence {
		bare := strings.TrimRight(word, ";,.):")
		if i > 0 && !value && !argument.MatchString(bare) && !slices.Contains(anyWord, bare) && !slices.Contains(tried, bare) && sentence[i-1] != "rerun" {
			break
		}
		if fill, ok := h.fills[bare]; ok {
			bare = fill
		}
		if below, ok := strings.CutPrefix(bare, "~/"); ok {
			bare = filepath.Join(h.home(), below)
		}
		args = append(args, bare)
		if bare != word && strings.TrimRight(word, ";,.):") != word {
			break
		}
		value = false
		if name, ok := strings.CutPrefix(bare, "--"); ok {
			if cmd, _, err := newRoot(&app{}).Find(args); err == nil {
				flag := cmd.Flag(name)
				value = flag != nil && flag.NoOptDefVal == ""
			}
		}
	}
	return args
}
