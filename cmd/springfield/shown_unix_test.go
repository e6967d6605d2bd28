//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/display"
)

// marked is in every hostile text, so that a test sees where one came out.
const marked = "zqxj"

// hostile has what a terminal obeys or hides in a word: controls, bidi marks, characters without a shape.
const hostile = marked + "\x1b[31m\x07\x7f\u0085\u009b31m\u009d0;x\u009c\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2064\u2066\u2069\u3164\ufeff\ufff9\U000e0041\U000e007f" + marked

// broken has a control character as a byte, too, which is not UTF-8.
const broken = "\x9b31m" + hostile

// inJSON is hostile inside a JSON string: raw, but for what JSON has to escape.
var inJSON = func() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(hostile) // a string always can be
	text := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(b.String())
	return strings.Trim(text, "\"\n")
}()

// No verb prints what a terminal obeys or hides, wherever the text comes from.
func TestNothingHiddenIsPrinted(t *testing.T) {
	t.Parallel()
	h, host := newHaunted(t), generator.HostTarget().String()
	calls := map[string][][]string{ // of every verb, in the order of verbs below
		"why":                {{}, {"--session", broken}, {broken}, {"--prompts"}},
		"log":                {{}, {"--session", hostile}, {"-n", hostile}},
		"explain":            {{h.log}, {h.log, "--strategy", "lisa-simpson"}, {h.log, "--strategy", h.rules}, {hostile}, {h.log, "--strategy", hostile}},
		"try":                {{hostile, hostile}, {hostile, "Moving to task 2. " + hostile}, {"x", broken, "--strategy", hostile}},
		"status":             {{}, {broken}},
		"list":               {{}, {hostile}},
		"set":                {{"ned-flanders"}, {hostile}, {"ned-flanders", hostile}, {"ned-flanders", "texts.reason=" + hostile}, {hostile, "a=b"}, {"ned-flanders", hostile + "=1"}},
		"doctor":             {{}, {hostile}},
		"validate":           {{h.suite}, {h.spoilt}, {h.suite + hostile}},
		"replay":             {{}, {"--html", "-"}, {"--list", "wrong"}, {"--list", "caught", "--strategy", h.rules}, {hostile}, {"--since", broken}},
		"loop":               {{}, {broken}},
		"loop start":         {{broken}, {hostile, "--force"}, {"--template", hostile}},
		"loop status":        {{}, {"--dir", broken}},
		"loop set":           {{"max_iterations", hostile}, {hostile, "1"}, {"goal", hostile}},
		"loop history":       {{}, {"--all"}},
		"loop history show":  {{hostile}, {h.loop}},
		"loop history rerun": {{hostile}, {h.loop}},
		"loop stop":          {{}, {"--delete"}, {"--dir", hostile}},
		"new":                {{hostile, "--from", "ned-flanders"}, {"mine", "--from", hostile}},
		"build":              {{h.suite, "--builder", hostile}, {h.suite + hostile}, {h.spoilt}},
		"prebuild":           {{hostile + "/x", "--target", hostile}},
		"update":             {{h.suite, "--dry-run"}, {h.suite}, {hostile}},
		"init":               {{"--dry-run", "--yes", h.suite}, {"--yes", hostile + "/x", "--strategy", hostile}, {"--yes", "fresh", "--marketplace", hostile}, {"--yes", "fresh", "--owner", hostile}},
		"publish":            {{h.suite, "--check"}, {h.spoilt, "--check"}, {h.suite, "--dry-run", "--target", host}, {hostile}, {h.suite, "--note", hostile, "--bump", "patch", "--target", host}, {h.suite, "--to", hostile, "--target", host}},
		"enable":             {{"ned-flanders", "--suite", h.suite, "--dry-run"}, {"ned-flanders", "--suite", h.suite, "--scope", "local"}, {"ned-flanders", "--suite", h.suite}, {hostile}, {"ned-flanders", "--scope", hostile}, {"ned-flanders@" + broken}, {"ned-flanders", "--suite", h.suite, "--scope", "managed"}},
		"disable":            {{"ned-flanders", "--dry-run"}, {"ned-flanders", "--scope", "local"}, {hostile}},
		"undo":               {{"--list"}, {"--dry-run"}, {}, {"--forget"}},
		"hold":               {{"--session", hostile}, {hostile}},
		"resume":             {{"--session", hostile}},
		"away":               {{}, {hostile}, {"8h", "--check", hostile}},
		"back":               {{}, {"--all"}, {hostile}},
		"watch":              {{"--once"}, {hostile}, {"--tell", hostile}, {"--tell", broken}},
		"version":            {{}, {hostile}},
		"completion":         {{"bash"}, {hostile}},
	}
	order := []string{
		"why", "log", "explain", "try", "status", "list", "set", "doctor", "validate", "replay", "loop status", "loop history", "loop history show", "loop history rerun", "loop",
		"enable", "undo", "disable", "update", "build", "init", "publish", "loop set", "loop stop", "loop start", "hold", "resume", "away", "back", "watch", "new", "prebuild", "version", "completion",
	}
	hasJSON := map[string]bool{}
	each(newRoot(&app{}), func(cmd *cobra.Command) {
		if name, below := strings.CutPrefix(cmd.CommandPath(), "springfield "); below && cmd.Runnable() {
			hasJSON[name] = cmd.Flag("json") != nil
			if calls[name] == nil || !slices.Contains(order, name) {
				t.Errorf("%s: say here how it is called, so that what it prints is looked at", name)
			}
		}
	})
	// Each of these must show a part of a hostile text, or the test has lost a source.
	showing := []string{
		"why", "why --json", "log", "log --json", "explain", "explain --json", "status --json", "doctor", "doctor --json", "validate", "replay",
		"loop status", "loop status --json", "loop history", "enable", "enable --json", "undo", "undo --json", "away", "away --json", "back", "back --json", "watch", "watch --json", "hook why", "hook log", "hook loop status",
	}
	shows := map[string]bool{} // verbs that have shown something of a hostile text
	for _, verb := range order {
		for _, args := range calls[verb] {
			args = append(strings.Fields(verb), args...)
			shows[verb] = h.looks(t, h.command("springfield", args)) || shows[verb]
			if hasJSON[verb] && (slices.Contains(showing, verb+" --json") || !scratch.Skipped(8)) {
				shows[verb+" --json"] = h.looks(t, h.command("springfield", append(args, "--json"))) || shows[verb+" --json"]
			}
		}
	}
	for _, args := range [][]string{
		{"__complete", "enable", ""}, {"__complete", "disable", ""}, {"__complete", "set", ""}, {"__complete", "set", "ned-flanders", ""},
		{"help", hostile}, {hostile}, {"--" + hostile},
	} {
		h.looks(t, h.command("springfield", args))
	}
	for _, verb := range order {
		if args := calls[verb]; strings.HasPrefix(verb, "loop") || slices.Contains([]string{"why", "log", "hold", "resume"}, verb) {
			for _, args := range args {
				args = append(strings.Fields(verb), args...)
				shows["hook "+verb] = h.looks(t, h.command(h.hook, args)) || shows["hook "+verb]
				h.looks(t, h.command(h.hook, append(args, "--json")))
			}
		}
	}
	h.looks(t, h.command(h.hook, []string{"page", h.log}))
	h.looks(t, h.command(h.hook, []string{hostile}))
	scratch.ErrorIf(t, h.colours < 100, "%d lines were coloured", h.colours)
	for _, verb := range showing {
		scratch.ErrorIf(t, !shows[verb], "%s has shown nothing of a hostile text", verb)
	}
}

// haunted is a machine on which everything that others write is hostile.
type haunted struct {
	home, project, suite, spoilt, log, rules, hook, loop string
	env                                                  []string
	colours                                              int // lines that were coloured
	code                                                 int // of the last call
}

func newHaunted(t *testing.T) *haunted {
	t.Helper()
	goroot, gocache := scratch.FindGo(t)
	dir := t.TempDir()
	h := &haunted{home: filepath.Join(dir, "home"), project: filepath.Join(dir, "p"+hostile), suite: filepath.Join(dir, "s"+marked, "mine")}
	must(t, scratch.TurnGoTelemetryOff(h.home))
	scratch.PutFile(t, filepath.Join(h.project, "keep"), "")
	scratch.PutFile(t, filepath.Join(filepath.Dir(h.suite), "keep"), "")
	h.env = []string{
		"HOME=" + h.home, "PATH=" + filepath.Join(goroot, "bin") + ":/usr/bin:/bin", "GOCACHE=" + gocache, "PREBUILT=" + carriedHooks(t),
		"USER=" + broken, "CLAUDE_CODE_SESSION_ID=" + hostile, "TERM=" + broken, "CLICOLOR_FORCE=1", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=" + hostile, "LISA_SIMPSON_MODEL=" + hostile, "ANTHROPIC_API_KEY=made-up", "ANTHROPIC_BASE_URL=http://127.0.0.1:1",
	}
	h.call(t, "springfield", "init", h.suite, "--yes", "--owner", "Ned", "--strategy", "ned-flanders", "--strategy", "marge-simpson", "--strategy", "ralph-wiggum", "--strategy", "todo-continuation", "--strategy", "lisa-simpson")
	h.spoilt = h.suite + "-spoilt" // one whose own file is hostile
	h.call(t, "springfield", "init", h.spoilt, "--yes", "--owner", "Ned", "--strategy", "ned-flanders", "--marketplace", "spoilt")
	h.hook = filepath.Join(h.suite, "ned-flanders", "hooks", "springfield-hook")

	h.call(t, "git", "init", "-q", ".")
	h.call(t, "git", "-c", "user.name="+marked, "-c", "user.email=a@example.invalid", "commit", "-q", "--allow-empty", "-m", hostile)
	h.call(t, "git", "checkout", "-q", "-b", strings.NewReplacer("\x1b[", "", "\x07", "", "\x7f", "").Replace(hostile))
	h.call(t, "git", "config", "remote."+hostile+".url", "https://example.invalid/"+hostile)
	h.call(t, "git", "config", "user.name", hostile)

	text := func(s string) string { return strings.ReplaceAll(s, "MARK", inJSON) }
	h.log = filepath.Join(h.home, ".claude", "projects", "p"+hostile, "5e55.jsonl")
	scratch.PutFile(t, h.log, text(`{"type":"user","uuid":"u1","promptId":"MARK","cwd":"/MARK","gitBranch":"MARK","message":{"role":"user","content":"do MARK"},"timestamp":"2026-11-20T10:00:00.000Z"}
{"type":"assistant","uuid":"a1","cwd":"/MARK","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":{"todos":[{"content":"MARK","status":"pending","activeForm":"MARK"}]}},{"type":"tool_use","id":"t2","name":"MARK","input":{"command":"MARK","skill":"MARK"}}]},"timestamp":"2026-11-20T10:00:01.000Z"}
{"type":"user","uuid":"r1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"MARK","is_error":true}]},"timestamp":"2026-11-20T10:00:02.000Z"}
{"type":"assistant","uuid":"a2","message":{"role":"assistant","content":[{"type":"text","text":"Next, I'll write the MARK now:"}]},"timestamp":"2026-11-20T10:00:03.000Z"}
{"type":"user","uuid":"u2","promptId":"p2","message":{"role":"user","content":"continue MARK"},"timestamp":"2026-11-20T10:01:00.000Z"}
{"type":"assistant","uuid":"a3","message":{"role":"assistant","content":[{"type":"text","text":"Let me look at the MARK."}]},"timestamp":"2026-11-20T10:01:03.000Z"}
`))
	h.rules = filepath.Join(filepath.Dir(h.project), "rules"+broken+".json")
	scratch.PutFile(t, h.rules, text(`{"add":[{"id":"mine","text":"`+marked+`.*","then":"continue","reason":"MARK"}]}`))

	scratch.PutFile(t, filepath.Join(h.project, ".claude", "workflow-state.json"), text(`{"skill":"MARK","phase":"MARK","tasks_total":3,"tasks_completed":1,"next":"MARK","session_id":"MARK","MARK":["MARK"]}`))
	scratch.PutFile(t, filepath.Join(h.project, ".claude", "springfield", "ned-flanders.json"), text(`{"add":[{"id":"MARK","text":"(","then":"stop"}],"off":["MARK"],"rules":"MARK","checks":["MARK"],"protocol":"MARK"}`))
	settings := text(`{"model":"MARK","env":{"SPRINGFIELD":"MARK","CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"MARK"},"enabledPlugins":{"double-shot-latte@MARK":true,"MARK@MARK":true,"MARK":true},"hooks":{"Stop":[{"matcher":"MARK","hooks":[{"type":"command","command":"echo MARK","args":["MARK"]},{"type":"MARK"},{"type":"prompt","prompt":"MARK"}]}],"SubagentStop":[{"matcher":"MARK","hooks":[{"type":"command","command":"MARK"}]}]},"extraKnownMarketplaces":{"MARK":{"source":{"source":"github","repo":"MARK"}}}}`)
	for _, file := range []string{filepath.Join(h.project, ".claude", "settings.json"), filepath.Join(h.project, ".claude", "settings.local.json"), filepath.Join(h.home, ".claude", "settings.json")} {
		scratch.PutFile(t, file, settings)
	}
	h.call(t, filepath.Join(h.suite, "ralph-wiggum", "hooks", "springfield-hook"), "loop", "start", "reach "+hostile)
	out, err := exec.Command("sh", "-c", `cat "$0"/.claude/springfield/*loops* 2>/dev/null`, h.home).Output()
	if _, after, ok := strings.Cut(string(out), `"loop":"`); ok && err == nil {
		h.loop, _, _ = strings.Cut(after, `"`)
	}

	// The hook gets hostile events, and the ledger is spoilt.
	for _, plugin := range []string{"ned-flanders", "marge-simpson", "ralph-wiggum", "lisa-simpson"} {
		h.hooked(t, plugin, text(`{"hook_event_name":"Stop","session_id":"MARK","prompt_id":"MARK","transcript_path":"`+filepath.Join(h.home, ".claude", "projects", "p"+inJSON, "5e55.jsonl")+`","cwd":"`+filepath.Join(filepath.Dir(h.project), "p"+inJSON)+`","permission_mode":"default","last_assistant_message":"Next, I'll write the MARK now:"}`))
	}
	h.hooked(t, "todo-continuation", text(`{"hook_event_name":"UserPromptSubmit","session_id":"MARK","prompt":"MARK","transcript_path":"`+filepath.Join(h.home, ".claude", "projects", "p"+inJSON, "5e55.jsonl")+`","cwd":"/MARK"}`))
	h.hooked(t, "ned-flanders", text(`{"hook_event_name":"Stop","MARK`))
	worse := 0
	h.each(t, filepath.Join(h.home, ".claude", "springfield"), func(path string, data []byte) {
		if filepath.Ext(path) != ".lock" {
			if changed := bytes.ReplaceAll(data, []byte(marked), []byte(inJSON)); len(changed) < 1<<20 {
				scratch.PutFile(t, path, string(changed))
				worse++
			}
		}
	})
	if worse < 4 {
		t.Fatalf("the ledger has %d files", worse)
	}
	at := strconv.FormatInt(time.Now().Add(-time.Hour).UnixMilli(), 10)
	scratch.PutFile(t, filepath.Join(h.home, ".claude", "springfield", "away.json"), text(`{"orders":[{"id":"MARK","at":`+at+`,"until":1,"most":5,"check":"MARK","from":"MARK","head":"MARK","kept":"MARK"},`+
		`{"id":"b","at":`+at+`,"until":`+strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)+`,"most":5,"check":"`+marked+`","from":"MARK","head":"MARK","kept":"MARK"}]}`))
	events := ""
	for _, did := range []string{"answered", "left", "denied", "stands", "checked", "spent", "MARK"} {
		events += text(`{"at":` + at + `,"order":"b","session":"MARK","did":"` + did + `","key":"MARK","text":"MARK","word":"MARK"}` + "\n")
	}
	scratch.PutFile(t, filepath.Join(h.home, ".claude", "springfield", "away.jsonl"), events)
	scratch.PutFile(t, filepath.Join(h.home, ".claude", "sessions", "1.json"), text(`{"pid":`+strconv.Itoa(os.Getpid())+`,"sessionId":"MARK","cwd":"/MARK","status":"waiting","waitingFor":"MARK"}`))
	scratch.PutFile(t, filepath.Join(h.project, ".claude", "ralph-loop.local.md"), "---\nsession_id: \""+hostile+"\"\niteration: 1\n---\n"+hostile+"\n")
	// The suite's texts come last, because its hooks must run before.
	h.each(t, h.suite, func(path string, data []byte) {
		switch filepath.Ext(path) {
		case ".json":
			scratch.PutFile(t, path, strings.ReplaceAll(string(data), `"description": "`, `"description": "`+inJSON))
		case ".md":
			scratch.PutFile(t, path, string(data)+broken)
		}
	})
	h.each(t, h.spoilt, func(path string, data []byte) {
		if filepath.Ext(path) == ".yaml" { // which takes JSON's escapes
			scratch.PutFile(t, path, strings.ReplaceAll(string(data), "Ned", `"`+strings.NewReplacer("\u0085", `\u0085`, "\u009b", `\u009b`, "\u009d", `\u009d`, "\u009c", `\u009c`, "\x7f", `\u007f`, "\ufeff", `\ufeff`).Replace(inJSON)+`"`))
		}
	})
	scratch.PutFile(t, filepath.Join(h.suite, "ned-flanders", "skills", hostile, "SKILL.md"), hostile)
	return h
}

// each calls do with every text file below a directory.
func (h *haunted) each(t *testing.T, dir string, do func(path string, data []byte)) {
	t.Helper()
	for _, path := range scratch.ListFiles(t, dir) {
		data := scratch.ReadFile(t, path)
		if !bytes.Contains(data, []byte{0}) {
			do(path, data)
		}
	}
}

func (h *haunted) command(name string, args []string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = h.project, h.env
	return cmd
}

// call runs what has to succeed.
func (h *haunted) call(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := h.command(name, args)
	if h.looks(t, cmd); h.code != 0 {
		t.Fatalf("%s %q: exit code %d\n%s%s", name, args, h.code, cmd.Stdout, cmd.Stderr)
	}
}

// hooked starts a plugin's hook with an event and checks the decoded answer for hidden text, too.
func (h *haunted) hooked(t *testing.T, plugin, event string) {
	t.Helper()
	cmd := h.command(filepath.Join(h.suite, plugin, "hooks", "springfield-hook"), nil)
	cmd.Stdin = strings.NewReader(event + "\n")
	if h.looks(t, cmd); h.code != 0 {
		t.Errorf("%s exits %d", plugin, h.code)
	}
	answer := cmd.Stdout.(*bytes.Buffer).Bytes()
	for d := json.NewDecoder(bytes.NewReader(answer)); len(answer) > 0; {
		token, err := d.Token()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%s answers %s: %v", plugin, answer, err)
		}
		if text, ok := token.(string); ok && display.DropInvisible(text) != text {
			t.Errorf("%s says %q", plugin, text)
		}
	}
}

// colour is a line, or the beginning of one, in one of springfield's colours.
var colour = regexp.MustCompile(`\x1b\[(?:[12]|3[123])m([^\x1b\n]*)\x1b\[0m`)

// looks runs what may fail, looks at all that it prints, and tells whether a hostile text is in it.
func (h *haunted) looks(t *testing.T, cmd *exec.Cmd) bool {
	t.Helper()
	out, said := &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, said
	if cmd.Args[0] == "springfield" {
		h.code = runHere(cmd)
	} else if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	} else {
		h.code = cmd.ProcessState.ExitCode()
	}
	for name, printed := range map[string]string{"stdout": out.String(), "stderr": said.String()} {
		if !slices.Contains(cmd.Args, "--json") { // what a hostile text would colour has no such end
			h.colours += len(colour.FindAllString(printed, -1))
			printed = colour.ReplaceAllString(printed, "$1")
		}
		for line := range strings.Lines(printed) {
			if text := strings.NewReplacer("\n", "", "\t", "").Replace(line); !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !display.IsShown(r) }) {
				t.Errorf("%s %q: %s has %q", filepath.Base(cmd.Path), cmd.Args[1:], name, line)
			}
		}
	}
	return strings.Contains(out.String()+said.String(), marked)
}
