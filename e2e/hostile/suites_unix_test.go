//go:build unix

package hostile

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// small is a suite of two plugins, made once and copied for every attack.
var small = sync.OnceValues(func() (string, error) {
	dir, home := filepath.Join(runDir, "small"), filepath.Join(runDir, "maker of the small")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	out, err := springfield(home, home, nil, "init", dir, "--yes", "--owner", "Ned", "--marketplace", "small", "--strategy", "ned-flanders", "--strategy", "ralph-wiggum")
	if err != nil {
		return "", fmt.Errorf("springfield init: %w\n%s", err, out)
	}
	return dir, nil
})

// verb is one call of the CLI, in the directory of a suite that was cloned.
type verb struct {
	args    string
	edits   bool // it may write to the user's settings
	on      bool // the user has switched a plugin of the suite on
	outside []string
}

var verbs = []verb{
	{args: "build"}, {args: "init . --yes --owner Ned"}, {args: "init . --yes --owner Ned --all --dry-run"},
	{args: "init . --yes --owner Ned --memory CLAUDE.md"},
	{args: "update"}, {args: "update --dry-run"}, {args: "update --all"}, {args: "update --all --dry-run --json"}, {args: "new left-handed --from ned-flanders"},
	{args: "publish --bump minor --target linux/amd64"}, {args: "publish --to ../market --bump patch --target linux/amd64", outside: []string{"market"}}, {args: "publish --check"}, {args: "publish --dry-run --target linux/amd64"},
	{args: "validate"}, {args: "validate --strict --json"}, {args: "list"}, {args: "list --json"}, {args: "status"}, {args: "status --json"}, {args: "doctor"}, {args: "doctor --json"},
	{args: "enable ned-flanders", edits: true}, {args: "enable ned-flanders --dry-run"}, {args: "enable ned-flanders --scope project --no-activate", edits: true},
	{args: "enable ned-flanders --scope local --no-activate", edits: true}, {args: "enable ned-flanders@small --keep --json", edits: true}, {args: "disable ned-flanders", edits: true},
	{args: "disable ned-flanders --scope project", edits: true}, {args: "disable ned-flanders --scope local --purge", edits: true}, {args: "undo", edits: true}, {args: "undo --list --json"},
	{args: "explain session.jsonl"}, {args: "explain session.jsonl --json --strategy ralph-wiggum"}, {args: "why"}, {args: "why --json"}, {args: "log --json"}, {args: "hold 1m"},
	{args: "loop start Finish --max 3"}, {args: "loop status --json"}, {args: "loop stop"}, {args: "loop history --json"}, {args: "loop set max 9"},
	{args: "replay session.jsonl"}, {args: "replay session.jsonl --json"}, {args: "replay session.jsonl --html page.html"}, {args: "completion bash"}, {args: "version"}, {args: "doctor", on: true}, {args: "doctor --json", on: true},
}

// hostileSuite is what a cloned directory has been made into.
type hostileSuite struct {
	name string
	do   func(w *world, suite string)
}

func text2(path, content string) func(w *world, suite string) {
	return func(w *world, suite string) { write(w.t, filepath.Join(suite, filepath.FromSlash(path)), content) }
}

const (
	escapes = "\x1b]0;owned\x07\x1b[2J\u009b31m\u202eevil\u2066\u200f"
	inJSON  = `\u001b]0;owned\u0007\u009b31m\u202eevil\u2066`
)

// suiteAttacks are all of them; places are the paths of the suite.
func suiteAttacks(t *testing.T, dir string) (all []hostileSuite) {
	add := func(name string, do func(w *world, suite string)) { all = append(all, hostileSuite{name, do}) }
	var places []string
	for path := range look(t, nil, dir) {
		if rel, _ := filepath.Rel(dir, path); rel != "." {
			places = append(places, rel)
		}
	}
	// What verbs make where there is nothing yet.
	places = append(places, "left-handed", "left-handed/hooks", ".git", ".git/config", ".claude", ".claude/settings.json", ".claude/settings.local.json", ".claude/springfield", ".claude/springfield/ned-flanders.json",
		".claude/workflow-state.json", ".claude/ralph-loop.local.md", ".stravinsky", ".stravinsky/continuation-loop.md", "page.html", "session.jsonl", "bart-simpson", "specs", ".specify",
		"springfield.yaml.new", "README.md.new", "ned-flanders/hooks/darwin-arm64", "ned-flanders/CHANGELOG.md", "ned-flanders/hooks/springfield-judge", ".springfield-new", "../market/.claude-plugin")
	slices.Sort(places)
	for _, place := range slices.Compact(places) {
		for _, what := range append(slices.Clone(odd), "a link to the user's configuration", "a link above") {
			add(place+" is "+what, func(w *world, suite string) {
				path, to := filepath.Join(suite, place), "../home/canary/directory"
				switch what {
				case "a link to the user's configuration":
					kept := strings.TrimSuffix(filepath.Base(path), ".json")
					to = "../home/.claude/" + kept
					os.MkdirAll(w.Config(kept), 0o755) // some are files
					fallthrough
				case "a link above":
					must(w.t, os.RemoveAll(path))
					must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
					must(w.t, os.Symlink(to, path))
				default:
					if what == "not a directory above" && filepath.Dir(place) == "." || place == ".." {
						return
					}
					w.plant(path, what)
				}
			})
		}
	}
	suiteFile := func(name, text string) { add("springfield.yaml: "+name, text2("springfield.yaml", text)) }
	suiteFile("empty", "")
	suiteFile("aliases", "a: &a [x,x,x,x,x,x,x,x,x]\n"+func() (s string) {
		for c := 'b'; c < 'm'; c++ {
			s += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
		}
		return s + "plugins: *l\nmarketplace: small\n"
	}())
	suiteFile("an alias of itself", "plugins: &a [*a]\n")
	suiteFile("merged", "x: &x {<<: *x, plugins: [ned-flanders]}\n<<: *x\n")
	suiteFile("deep", strings.Repeat("[", 100_000))
	suiteFile("deeper", strings.Repeat("a:\n ", 3_000))
	suiteFile("huge", "# "+strings.Repeat("x", 20<<20)+"\n")
	suiteFile("many", "marketplace: small\nowner: x\nplugins:\n"+strings.Repeat("  - ned-flanders\n", 100_000))
	suiteFile("a tag", "marketplace: !!python/object/apply:os.system [touch owned]\n")
	suiteFile("NUL", "marketplace: \x00\n")
	for _, n := range []string{"../evil", "/tmp/evil", "..", ".", "", "a/b", `a\b`, "../home/canary/directory", "-rf", "--help", ".git", ".claude-plugin", "con", "a\nb", "a" + strings.Repeat("b", 5000), escapes, "~", "$HOME", "`touch owned`"} {
		quoted := fmt.Sprintf("%q", n)
		suiteFile("a plugin named "+clip(n), "marketplace: small\nowner: Ned\nplugins:\n  - name: "+quoted+"\n    strategy: ned-flanders\ntargets: [linux/amd64]\n")
		suiteFile("a marketplace named "+clip(n), "marketplace: "+quoted+"\nowner: "+quoted+"\nplugins: [ned-flanders]\ntargets: [linux/amd64]\n")
		suiteFile("a strategy named "+clip(n), "marketplace: small\nowner: Ned\nplugins:\n  - name: x\n    strategy: "+quoted+"\n")
		suiteFile("a target named "+clip(n), "marketplace: small\nowner: Ned\nplugins: [ned-flanders]\ntargets: ["+quoted+"]\n")
		json := strings.NewReplacer("\n", `\n`, "\x1b", `\u001b`, "\x07", `\u0007`, `\`, `\\`).Replace(n)
		add("marketplace.json: a plugin named "+clip(n), text2(".claude-plugin/marketplace.json", `{"name":"small","owner":{"name":"x"},"plugins":[{"name":"`+json+`","source":"./`+json+`"},{"name":"ned-flanders","source":"`+json+`"}]}`))
		add("marketplace.json: a root "+clip(n), text2(".claude-plugin/marketplace.json", `{"name":"`+json+`","metadata":{"pluginRoot":"`+json+`"},"plugins":[{"name":"ned-flanders","source":"ned-flanders"}]}`))
		add("the record: a file named "+clip(n), text2(".springfield/rendered.sha256", strings.Repeat("0", 64)+"  "+n+"\n"+strings.Repeat("0", 64)+"  ned-flanders/../../home/canary/file\n"))
	}
	for _, file := range []string{".claude-plugin/marketplace.json", "ned-flanders/.claude-plugin/plugin.json", "ned-flanders/hooks/hooks.json", "ned-flanders/strategy.json", ".claude/settings.json", ".claude/settings.local.json",
		".claude/springfield/ned-flanders.json", ".claude/workflow-state.json", "session.jsonl", ".springfield/rendered.sha256", "CLAUDE.md", "README.md", "ned-flanders/CHANGELOG.md", ".stravinsky/continuation-loop.md", ".claude/ralph-loop.local.md"} {
		add(file+": escapes", text2(file, `{"name":"`+inJSON+`","plugins":[{"name":"`+inJSON+`","source":"./`+inJSON+`"}],"hooks":{"Stop":[{"hooks":[{"type":"command","command":"`+inJSON+`"}]}]},"env":{"`+inJSON+`":"`+inJSON+`"},"enabledPlugins":{"`+inJSON+`@x":true},"`+inJSON+`":1}`))
		add(file+": raw escapes", text2(file, escapes+"\n---\n"+escapes+": "+escapes+"\n"))
		add(file+": huge", func(w *world, suite string) {
			path := filepath.Join(suite, file)
			write(w.t, path, "{")
			must(w.t, os.Truncate(path, 256<<20))
		})
		add(file+": deep", text2(file, strings.Repeat(`{"a":[`, 200_000)))
	}
	// What doctor tells of a plugin that runs: what agents start besides the hook.
	for _, file := range []string{"ned-flanders/hooks/hooks.json", "ned-flanders/.mcp.json", "ned-flanders/hooks/deeper/more.json"} {
		add(file+": starts another program", text2(file, `{"hooks":{"`+inJSON+`":[{"hooks":[{"type":"command","command":"`+inJSON+` git status; node mine.sh","env":{"PATH":"."}}]}]},"`+inJSON+`":`+strings.Repeat(`{"a":`, 90)+`1`+strings.Repeat(`}`, 90)+`}`))
	}
	add("commands: escapes", text2("ned-flanders/commands/why.md", "---\nallowed-tools: "+escapes+"\n---\n!`"+escapes+" git status`\n"))
	add("the catalog adds hooks", text2(".claude-plugin/marketplace.json", `{"name":"small","owner":{"name":"x"},"plugins":[{"name":"ned-flanders","source":"./ned-flanders","`+inJSON+`":"`+inJSON+`","hooks":{"Stop":[]}}]}`))
	add("2,000 programs", func(w *world, suite string) {
		for i := range 2_000 {
			write(w.t, filepath.Join(suite, "ned-flanders", "bin", fmt.Sprint(i)), "#!/bin/sh\n")
		}
	})
	add("hooks of 40 MB", func(w *world, suite string) {
		for _, name := range []string{"springfield-hook", "springfield-judge", "darwin-arm64/springfield-hook"} {
			path := filepath.Join(suite, "ned-flanders", "hooks", filepath.FromSlash(name))
			write(w.t, path, "\x7fELF\x02\x01\x01")
			must(w.t, os.Truncate(path, 40<<20))
		}
	})
	add("settings of the project: env", text2(".claude/settings.json", `{"env":{"GODEBUG":"cgocheck=2","CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"0","CLAUDE_CONFIG_DIR":"../home/canary","HOME":"../home/canary","PATH":"."},"disableAllHooks":true,"enabledPlugins":{"ned-flanders@small":true,"double-shot-latte@x":true},"extraKnownMarketplaces":{"small":{"source":{"source":"directory","path":"../home/canary"}}}}`))
	add("settings of the project: numbers", text2(".claude/settings.local.json", `{"env":1,"enabledPlugins":[],"hooks":"x","extraKnownMarketplaces":{"small":1}}`))
	for name, layer := range layers() {
		add("strategy.json: "+name, text2("ned-flanders/strategy.json", layer))
		add("a project's layer: "+name, text2(".claude/springfield/ned-flanders.json", layer))
	}
	for name, make := range map[string]string{"a newline": "a\nb.md", "an escape": "\x1b[2J.md", "a dash": "-rf", "two dashes": "--help", "bidi": "\u202egnp.md", "no UTF-8": "\xff\xfe.md", "a blank": " .md ", "a dollar": "$(touch owned).md"} {
		add("a file named with "+name, func(w *world, suite string) {
			write(w.t, filepath.Join(suite, make), "x\n")
			write(w.t, filepath.Join(suite, "ned-flanders", make), "x\n")
			write(w.t, filepath.Join(suite, make+"dir", ".claude-plugin", "plugin.json"), `{"name":"x"}`)
		})
	}
	state := func(name, path, content string) { add("state: "+name, text2(path, content)) }
	state("a loop without end", ".stravinsky/continuation-loop.md", "---\niteration_count: -99999999999999999999\nmax_iterations: 99999999999\ncompletion_promise: \""+escapes+"\"\n---\n"+strings.Repeat(escapes, 1000))
	state("a loop's yaml", ".stravinsky/continuation-loop.md", "---\na: &a [*a]\n<<: *a\n"+strings.Repeat("- ", 100_000)+"\n---\nx\n")
	state("a workflow", ".claude/workflow-state.json", `{"skill":"`+inJSON+`","phase":"`+inJSON+`","tasks_total":1e999,"tasks_completed":-1,"next":"`+inJSON+`"}`)
	state("a spec", "specs/.current-spec", "../../home/canary/directory\n")
	state("a spec of another kind", ".specify/.current-feature", "/etc\n")
	state("a session", "session.jsonl", `{"type":"user","message":{"role":"user","content":"`+inJSON+`"},"cwd":"`+inJSON+`","sessionId":"../../../x"}`+"\n"+`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Moving to `+inJSON+` Task 2."}]}}`+"\n")
	return all
}

func gitAttacks() (all []hostileSuite) {
	config := map[string]string{
		"core": "fsmonitor sshCommand pager editor askPass hooksPath gitProxy alternateRefsCommand attributesFile excludesFile", "diff": "external", "sequence": "editor", "credential": "helper", "gpg": "program",
		"ssh": "variant", "pager": "check-ignore config status log rev-parse remote ls-files", "alias": "check-ignore config status log rev-parse", "web": "browser", "merge": "tool", "uploadpack": "packObjectsHook",
		"filter \"x\"": "clean smudge process", "diff \"x\"": "command textconv", "merge \"x\"": "driver", "remote \"origin\"": "uploadpack receivepack vcs proxy", "credential \"https://x\"": "helper", "gpg \"ssh\"": "program defaultKeyCommand", "trailer \"x\"": "command cmd",
		"interactive": "diffFilter", "blame": "x", "tar \"x\"": "command", "browser \"x\"": "cmd", "man \"x\"": "cmd", "imap": "tunnel", "sendemail": "smtpServer",
	}
	lay := func(w *world, suite, more string) {
		trap := w.trap(w.Traps, "configured")
		for _, args := range [][]string{{"init", "-q"}, {"add", ".gitignore"}, {"-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "x"}} {
			if args[0] == "add" {
				write(w.t, filepath.Join(suite, ".gitignore"), ".claude/settings.local.json\n")
			}
			cmd := exec.Command("git", args...)
			cmd.Dir = suite
			cmd.Env = []string{"HOME=" + w.Home, "PATH=/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM=1"}
			if out, err := cmd.CombinedOutput(); err != nil {
				w.t.Fatalf("git %s: %v\n%s", args, err, out)
			}
		}
		file := filepath.Join(suite, ".git", "config")
		had, err := os.ReadFile(file)
		must(w.t, err)
		write(w.t, file, string(had)+strings.ReplaceAll(more, "TRAP", trap))
		for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc", "post-rewrite"} {
			w.trap(filepath.Join(suite, ".git", "hooks"), hook)
		}
	}
	var everything strings.Builder
	for _, section := range slices.Sorted(maps.Keys(config)) {
		for _, key := range strings.Fields(config[section]) {
			one := fmt.Sprintf("[%s]\n\t%s = TRAP\n", section, key)
			if section == "alias" {
				one = fmt.Sprintf("[%s]\n\t%s = !TRAP\n", section, key)
			}
			everything.WriteString(one)
			all = append(all, hostileSuite{"git: " + section + "." + key, func(w *world, suite string) {
				lay(w, suite, one)
				write(w.t, filepath.Join(suite, ".gitattributes"), "* filter=x diff=x merge=x\n")
			}})
		}
	}
	all = append(all, hostileSuite{"git: everything", func(w *world, suite string) {
		lay(w, suite, everything.String())
		write(w.t, filepath.Join(suite, ".gitattributes"), "* filter=x diff=x merge=x\n")
	}})
	for _, url := range []string{"ssh://x/y", "ext::TRAP %S", "x::y", "file:///nowhere", "http://127.0.0.1:9/x"} {
		all = append(all, hostileSuite{"git: a missing object from " + url, func(w *world, suite string) {
			lay(w, suite, "[core]\n\tsshCommand = TRAP\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[protocol]\n\tallow = always\n[protocol \"ext\"]\n\tallow = always\n[remote \"origin\"]\n\turl = "+url+"\n\tpromisor = true\n\tuploadpack = TRAP\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
			cmd := exec.Command("git", "update-index", "--skip-worktree", ".gitignore")
			cmd.Dir, cmd.Env = suite, []string{"HOME=" + w.Home, "PATH=/usr/bin:/bin", "GIT_NO_LAZY_FETCH=1"}
			cmd.Run()
			os.Remove(filepath.Join(suite, ".gitignore"))
			objects, _ := filepath.Glob(filepath.Join(suite, ".git", "objects", "??", "*"))
			for _, object := range objects { // blobs and all: git asks for each of them
				os.Remove(object)
			}
			os.Remove(w.Log)
		}})
	}
	all = append(all,
		hostileSuite{"git: an include", func(w *world, suite string) {
			write(w.t, filepath.Join(suite, "evil"), "[core]\n\tfsmonitor = "+w.trap(w.Traps, "configured")+"\n")
			lay(w, suite, "[include]\n\tpath = ../evil\n[includeIf \"gitdir:**\"]\n\tpath = ../evil\n")
		}},
		hostileSuite{"git: a directory elsewhere", func(w *world, suite string) {
			lay(w, suite, everything.String())
			must(w.t, os.Rename(filepath.Join(suite, ".git"), filepath.Join(suite, "elsewhere")))
			write(w.t, filepath.Join(suite, ".git"), "gitdir: elsewhere\n")
		}},
		hostileSuite{"git: a bare one in it", func(w *world, suite string) {
			lay(w, suite, everything.String())
			must(w.t, os.Rename(filepath.Join(suite, ".git"), filepath.Join(suite, "bare")))
			for _, name := range []string{"HEAD", "config", "objects", "refs"} {
				must(w.t, os.Symlink(filepath.Join("bare", name), filepath.Join(suite, name)))
			}
		}},
		hostileSuite{"git: a worktree outside", func(w *world, suite string) {
			lay(w, suite, "[core]\n\tworktree = "+w.Canary+"\n"+everything.String())
		}},
	)
	return all
}

func copyTree(t testing.TB, from, to string) {
	t.Helper()
	must(t, os.CopyFS(to, os.DirFS(from)))
	must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return os.Chmod(filepath.Join(to, rel), info.Mode().Perm())
	}))
}

// call runs the CLI in a suite that is not trusted.
func (w *world) call(suite, args string, vars ...string) outcome {
	w.t.Helper()
	program, err := cli()
	must(w.t, err)
	tool, err := goTool()
	must(w.t, err)
	tools := filepath.Join(w.dir, "tools")
	if _, err := os.Stat(tools); err != nil {
		must(w.t, os.Mkdir(tools, 0o755))
		git, err := exec.LookPath("git")
		must(w.t, err)
		must(w.t, os.Symlink(git, filepath.Join(tools, "git")))
		must(w.t, os.Symlink(filepath.Join(tool.Root, "bin", "go"), filepath.Join(tools, "go")))
	}
	j := job{Path: program, Args: [][]byte{[]byte("springfield")}, Dir: suite}
	for _, a := range strings.Fields(args) {
		j.Args = append(j.Args, []byte(a))
	}
	// Relative entries, as some people have them: what lies in the suite is not theirs.
	for _, v := range append([]string{
		"PATH=.:node_modules/.bin:" + tools + ":" + w.Traps, "HOME=" + w.Home, "GOCACHE=" + tool.Cache, "TERM=dumb", "TMPDIR=" + filepath.Join(w.dir, "tmp"),
	}, vars...) {
		j.Env = append(j.Env, []byte(v))
	}
	must(w.t, os.MkdirAll(filepath.Join(w.dir, "tmp"), 0o755))
	return run(w.t, j)
}

// controls is the first character of an output that a terminal would obey or that hides others.
func controls(text string) string {
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
		case r < ' ', r >= 0x7f && r < 0xa0, r == 0x200e, r == 0x200f, r == 0x061c, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return fmt.Sprintf("%U", r)
		}
	}
	return ""
}

const cliMemory = 768 << 20 // go build has the most of it

// Whatever a cloned suite or project holds, and whichever verb is called in it: nothing outside of it changes, but
// what the verb is about; nothing that it names is started; no output that a terminal would obey.
func TestSuitesAndVerbs(t *testing.T) {
	r := draw(t)
	dir, err := small()
	must(t, err)
	type attack struct {
		h hostileSuite
		v verb
	}
	attacks, gits := suiteAttacks(t, dir), gitAttacks()
	var all []attack
	if *full {
		for _, h := range slices.Concat(attacks, gits) {
			n := 1 // all of them would be a day; another seed draws others
			if strings.HasPrefix(h.name, "git: ") {
				n = 6
			}
			for _, v := range r.Perm(len(verbs))[:n] {
				all = append(all, attack{h, verbs[v]})
			}
		}
	} else {
		for range 6 {
			all = append(all, attack{attacks[r.IntN(len(attacks))], verbs[r.IntN(len(verbs))]})
		}
		for _, h := range some(r, gits, 2) {
			all = append(all, attack{h, verbs[r.IntN(len(verbs))]})
		}
	}
	for _, h := range gits[len(gits)-9:] { // what has once succeeded
		all = append(all, attack{h, verb{args: "enable ned-flanders --scope local --no-activate", edits: true}})
	}
	for _, v := range []string{"build", "init . --yes --owner Ned", "update", "update --all", "new left-handed --from ned-flanders", "publish --bump minor --target linux/amd64"} {
		for _, place := range []string{"ned-flanders is a link to the user's configuration", ".springfield is a link to the user's configuration", "ned-flanders/hooks is a link above", "ned-flanders/hooks/springfield-hook is a dangling link"} {
			i := slices.IndexFunc(attacks, func(h hostileSuite) bool { return h.name == place })
			all = append(all, attack{attacks[i], verb{args: v}})
		}
	}
	rep := newReport(t)
	each(all, func(a attack) {
		w := newWorld(t)
		defer w.done()
		w.sparse = 64 << 20 // publish holds a suite's files in memory
		suite := filepath.Join(w.dir, "suite")
		copyTree(t, dir, suite)
		copyTree(t, filepath.Join(dir, ".claude-plugin"), filepath.Join(w.dir, "market", ".claude-plugin"))
		write(t, w.State("suites.json"), fmt.Sprintf("{\"suites\": [%q]}", suite)) // as if made here, and replaced since
		os.RemoveAll(w.State("journal"))                                           // undo would take back the suite that this one is a copy of
		settings := "{\n  \"model\": \"opus\"\n}\n"
		if a.v.on {
			settings = fmt.Sprintf(`{"enabledPlugins": {"ned-flanders@small": true}, "extraKnownMarketplaces": {"small": {"source": {"source": "directory", "path": %q}}}}`, suite)
		}
		write(t, w.Config("settings.json"), settings)
		for _, name := range []string{"hooks/mine.sh", "commands/mine.md", "ned-flanders/strategy.json", "CLAUDE.md", "README.md"} {
			write(t, w.Config(name), "the user's own\n")
		}
		write(t, filepath.Join(suite, "session.jsonl"), `{"type":"user","message":{"role":"user","content":"go"}}`+"\n"+`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Moving to Task 2."}]}}`+"\n")
		for _, name := range []string{"sh", "bash", "ssh", "claude", "node", "less", "vi", "go", "git", "uname", "python3", "xdg-open"} {
			w.trap(suite, name)
			w.trap(filepath.Join(suite, "node_modules", ".bin"), name)
			if name != "go" && name != "git" && name != "claude" {
				w.trap(w.Traps, name)
			}
		}
		a.h.do(w, suite)
		allowed := func(path string) bool {
			if data := filepath.Join(w.dir, "home", ".local"); path == data || strings.HasPrefix(path, data+string(filepath.Separator)) {
				return true // the user's own suite, which enable makes
			}
			if path == w.State() || path == w.Config("settings.json") && a.v.edits || strings.HasPrefix(path, w.Config("plugins")) && a.v.edits {
				return true
			}
			for _, name := range append([]string{"suite", "tmp", "tools"}, a.v.outside...) {
				if path == filepath.Join(w.dir, name) {
					return true
				}
			}
			// Go counts its own calls in the user's home.
			return path == w.Log || path == filepath.Join(w.Home, ".config") || path == filepath.Join(w.Home, "Library")
		}
		before := look(t, allowed, w.dir)
		o := w.call(suite, a.v.args)
		rep.ran(o)
		kind, _, _ := strings.Cut(a.h.name, ":")
		if i := strings.LastIndex(kind, " is "); i > 0 {
			kind = kind[i+1:]
		}
		wrong := func(what, format string, args ...any) {
			rep.fault(what+", "+kind, "springfield %s where %s: %s", a.v.args, a.h.name, fmt.Sprintf(format, args...))
		}
		if started := w.started(); started != "" {
			wrong("a program is started", "%s", started)
		}
		if diff := before.changed(look(t, allowed, w.dir)); diff != "" {
			wrong("written outside", "%s", diff)
		}
		switch {
		case o.Left:
			wrong("a process is left", "")
		case o.Code < 0 || o.Code > 2 || strings.Contains(o.Stderr, "goroutine "):
			wrong("it dies", "exit %d %s: %s", o.Code, o.Signal, clip(o.Stderr))
		case o.Peak > cliMemory:
			wrong("memory", "%d MiB", o.Peak>>20)
		}
		if c := controls(o.Stdout + o.Stderr); c != "" {
			wrong("control characters", "%s in %s", c, clip(o.Stdout+o.Stderr))
		}
		rep.count(fmt.Sprint("exit ", o.Code), 1)
	})
	t.Logf("%d hostile suites and %d git configurations × %d verbs: %d runs with -seed %d (exit 0: %d, 1: %d, 2: %d), at most %d MiB; wrong: %d", len(attacks), len(gits), len(verbs), rep.runs, *seed,
		rep.counts["exit 0"], rep.counts["exit 1"], rep.counts["exit 2"], rep.peak>>20, rep.wrong)
}
