//go:build unix

package hostile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// setting is what a project's settings set for the hook.
type setting struct {
	name  string
	vars  []string
	shell bool // obeyed by the shell or its loader before the launcher's first line
}

// godebug are the keys of GODEBUG that this Go knows, as its own sources list them.
func godebug(t *testing.T) (keys []string) {
	t.Helper()
	tool, err := goTool()
	must(t, err)
	for file, pattern := range map[string]string{
		"internal/godebugs/table.go": `\{Name: "(\w+)"`,
		"runtime/runtime1.go":        `\{name: "(\w+)"`,
	} {
		text, err := os.ReadFile(filepath.Join(tool.Root, "src", filepath.FromSlash(file)))
		must(t, err)
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			keys = append(keys, m[1])
		}
	}
	keys = append(keys, "memprofilerate", "cpu.all", "cpu.avx2", "netdns", "netdnsgo") // read elsewhere
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) < 40 {
		t.Fatalf("only %d keys of GODEBUG are known", len(keys))
	}
	return keys
}

// settings are the table: what each variable is set to in turn.
func settingsAttacks(t *testing.T, w *world) (all []setting) {
	add := func(vars ...string) { all = append(all, setting{name: clip(strings.Join(vars, " ")), vars: vars}) }
	before := func(vars ...string) {
		add(vars...)
		all[len(all)-1].shell = true
	}
	values := func(name string, values ...string) {
		for _, v := range values {
			add(name + "=" + v)
		}
	}
	alone := func(vars ...string) {
		for _, v := range vars {
			add(v)
		}
	}
	trap := filepath.Join(w.Traps, "trap")

	// Go's runtime, before main.
	values("GODEBUG", "cgocheck=2", "cgocheck=1", "cgocheck=-1", "inittrace=1", "panicnil=1", "schedtrace=1", "schedtrace=1,scheddetail=1", "gctrace=2",
		"sbrk=1", "efence=1", "gcstoptheworld=2", "clobberfree=1", "checkfinalizers=1", "madvdontneed=1", "memprofilerate=1", "asyncpreemptoff=1",
		"tracebackancestors=1000000", "profstackdepth=1000000", "dontfreezetheworld=1", "harddecommit=1", "invalidptr=0", "cpu.all=off", "fips140=only", "fips140=debug",
		"fips140=junk", ",,,=,=", "=", "x", strings.Repeat("cgocheck=2,", 10_000), "cgocheck=2,cgocheck=0", "\xff\xfe=\x01")
	values("GOMAXPROCS", "200000", "1", "0", "-1", "2147483647", "9223372036854775808", "x", "")
	values("GOMEMLIMIT", "", "off", "0", "1", "-1", "1B", "1KiB", "9223372036854775807", "12345678901234567890TiB", "x", "stop\nhere", "10MB")
	values("GOGC", "off", "0", "1", "-1", "2147483648", "x", "")
	values("GOTRACEBACK", "none", "single", "all", "system", "crash", "wer", "99", "x")
	values("GORACE", "halt_on_error=1 exitcode=2 log_path="+w.Canary+"/race")
	values("GOCOVERDIR", w.Canary, "/nowhere", "")
	values("GOROOT", w.Canary, "/nowhere", "")
	values("GOFIPS140", "latest", "v1.0.0", "x")
	values("GOFIPS", "1")
	values("GOEXPERIMENT", "x", "greenteagc,jsonv2")
	alone("GOOS=windows", "GOARCH=wasm", "GOENV="+w.Canary+"/file")
	values("GOFLAGS", "-race", "-overlay="+w.Canary+"/file")
	values("GOTOOLCHAIN", "go1.99.0", "path")
	alone("GOMEMORY=x", "GOGCTRACE=1", "CGO_ENABLED=1")
	add("GODEBUG=cgocheck=2", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=0")
	add("GODEBUG=schedtrace=1,inittrace=1,gctrace=1", "GOTRACEBACK=crash", "GOMAXPROCS=5000", "GOGC=1", "GOMEMLIMIT=1")

	// The dynamic loader.
	for _, name := range []string{"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "DYLD_FORCE_FLAT_NAMESPACE", "LD_BIND_NOW"} {
		values(name, trap, "./evil.so", "")
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH"} {
		values(name, w.Traps, ".", "")
	}
	values("LD_DEBUG", "all")
	values("LD_DEBUG_OUTPUT", w.Canary+"/ld")
	before("LD_DEBUG=all", "LD_DEBUG_OUTPUT="+w.Canary+"/ld")
	before("LD_TRACE_LOADED_OBJECTS=1")
	before("LD_SHOW_AUXV=1")
	values("GLIBC_TUNABLES", "glibc.malloc.check=3", "glibc.malloc.perturb=1:x=")
	alone("MALLOC_CHECK_=3", "GCONV_PATH="+w.Traps, "LOCPATH="+w.Traps)

	// The shell.
	values("ENV", trap, "$("+trap+")")
	values("BASH_ENV", trap, "$("+trap+")")
	for _, name := range []string{"read", "uname", "[", "test", "exec", "exit", "case", "command", "unset", "set", "export", "echo", "true", "builtin", "hash", "env", "springfield-hook"} {
		values("BASH_FUNC_"+name+"%%", "() { "+trap+"; }", "() { "+trap+"; return 1; }")
		values("BASH_FUNC_"+name+"()", "() { "+trap+"; }")
	}
	values("read", "() { :; }; "+trap) // as bash was before 2014
	for _, opts := range []string{"xtrace", "xtrace:verbose", "noexec", "errexit:nounset:pipefail", "noglob:noclobber", "vi", "restricted", "junk"} {
		if strings.HasPrefix(opts, "xtrace") {
			before("SHELLOPTS="+opts, "PS4=$("+trap+")")
		} else {
			add("SHELLOPTS="+opts, "PS4=$("+trap+")")
		}
		add("SHELLOPTS=" + opts)
	}
	values("BASHOPTS", "extdebug", "expand_aliases:sourcepath", "junk")
	add("PS4=$("+trap+")", "PROMPT_COMMAND="+trap, "PS1=$("+trap+")")
	values("BASH_XTRACEFD", "1", "2")
	before("BASH_XTRACEFD=1", "SHELLOPTS=xtrace")
	values("POSIXLY_CORRECT", "1", "")
	values("BASH_COMPAT", "3.1")
	values("IFS", "", " ", "/", "x86_64", "-", "\n", "linux")
	values("PATH", w.Traps, w.Traps+":/usr/bin:/bin", ".:/usr/bin:/bin", "", "/nowhere", ":", strings.Repeat("/x:", 30_000)+w.Traps)
	values("CDPATH", w.Canary, ".:"+w.Canary)
	values("m", "Linux x86_64", "$("+trap+")")
	alone("t=../../../traps", "h="+trap, "0="+trap)
	values("PWD", w.Canary, "/nowhere", "")
	alone("OLDPWD="+w.Canary, "SHELL="+trap, "EXECIGNORE=*springfield*", "GLOBIGNORE=*", "OPTIND=99",
		"MAIL="+w.Canary+"/file", "PERL5OPT=-Mevil", "PYTHONSTARTUP="+trap, "NODE_OPTIONS=--require "+trap)

	// Where things lie.
	for _, name := range []string{"TMPDIR", "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "CLAUDE_CONFIG_DIR", "USERPROFILE", "APPDATA",
		"SPRINGFIELD_HOME", "SPRINGFIELD_DIR", "SPRINGFIELD_STATE", "SPRINGFIELD_CONFIG", "TMP", "TEMP"} {
		values(name, w.Canary, w.Canary+"/file", "/nowhere/at/all", "relative", "", "/dev/null", strings.Repeat("/long", 1000), "/a\nb\x1b[2J")
	}
	values("TZ", "/etc/passwd", "../../../../../etc/passwd", ":"+w.Canary+"/file", strings.Repeat("A", 100_000), "UTC+99:99:99", "\xff", w.Canary+"/directory")
	values("ZONEINFO", w.Canary+"/file", w.Canary, "/dev/zero", trap)
	values("LANG", "xx_XX.UTF-99", "../../../etc", strings.Repeat("x", 100_000))
	values("LC_ALL", "ar_EG.UTF-8", "C", "tr_TR.UTF-8")
	values("TERM", "\x1b[2J")

	// The client's and our own. The client's own values come over the first two.
	values("CLAUDE_PLUGIN_ROOT", w.Canary)
	values("CLAUDE_PROJECT_DIR", w.Canary)
	values("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "0", "1", "-1", "99999999999999999999", "x", "", " 5 ", "1e9")
	values("CLAUDE_CODE_SESSION_ID", "../../../canary/file", "other", "")
	values("CLAUDECODE", "")
	values("CLAUDE_CODE_PLUGIN_CACHE_DIR", w.Canary)
	values("SPRINGFIELD", "on", "1", "continue", "always", "off", "\x00no"[1:], strings.Repeat("x", 100_000))
	for _, name := range []string{"SPRINGFIELD_BUDGET", "SPRINGFIELD_LIMIT", "SPRINGFIELD_HOLD", "SPRINGFIELD_STRATEGY", "SPRINGFIELD_RULES", "SPRINGFIELD_PLUGIN", "SPRINGFIELD_DEBUG", "SPRINGFIELD_IN_JUDGE", "SPRINGFIELD_JUDGE"} {
		values(name, "1", "0", "999999", trap, w.Canary+"/file")
	}
	values("LISA_SIMPSON_MODEL", "haiku", "--dangerously-skip-permissions", "../../x", "x\ny", strings.Repeat("m", 100_000), "off", "none", "\x1b[2J")
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY"} {
		values(name, "http://127.0.0.1:9", "junk://")
	}
	values("SSL_CERT_FILE", w.Canary+"/file", "/dev/zero")
	alone("SSL_CERT_DIR="+w.Canary, "NODE_EXTRA_CA_CERTS="+w.Canary+"/file",
		"ANTHROPIC_BASE_URL=http://127.0.0.1:9", "ANTHROPIC_API_KEY=x")
	for _, name := range []string{"EDITOR", "VISUAL", "PAGER", "BROWSER", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_EXEC_PATH"} {
		values(name, trap)
	}
	values("NO_COLOR", "1")

	// Absurd lengths, names and bytes.
	add("A=" + strings.Repeat("x", 120_000))
	add(strings.Repeat("N", 100_000) + "=1")
	alone("=C:=C:\\x", "=", "no equals sign", "", "\xff\xfe=\x80")
	add("A B=1", "a-b=2", "a.b=3")
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprintf("V%d=%d", i, i))
	}
	twice := []string{"HOME=" + w.Canary, "HOME=" + w.Home, "GODEBUG=x=1", "GODEBUG=cgocheck=2"}
	return append(all, setting{name: "ten thousand variables", vars: many}, setting{name: "everything twice", vars: twice})
}

// someHome and someTrap are the places that a table is made for, before each run has its own.
const (
	someHome = "/springfield-hostile-home"
	someTrap = "/springfield-hostile-traps"
)

// in gives a setting the places of a world.
func (s setting) in(w *world) []string {
	vars := make([]string, len(s.vars))
	for i, v := range s.vars {
		vars[i] = strings.ReplaceAll(strings.ReplaceAll(v, someTrap, w.Traps), someHome, w.Home)
	}
	return vars
}

// What a project sets for hooks changes no decision but into a stop, starts nothing, writes nothing outside of the
// state directory, takes no memory and no time worth the name.
func TestEnvironment(t *testing.T) {
	r := draw(t)
	table := settingsAttacks(t, &world{t: t, Home: someHome, Canary: someHome + "/canary", Traps: someTrap})
	named := len(table)
	for _, key := range godebug(t) {
		for _, value := range []string{"0", "1", "2", "-1", "999999999999", "x"} {
			table = append(table, setting{name: "GODEBUG=" + key + "=" + value, vars: []string{"GODEBUG=" + key + "=" + value}})
		}
	}
	type attack struct {
		s    setting
		p    plugin
		f    form
		held bool
	}
	var all []attack
	for i, s := range table {
		for _, p := range plugins {
			for _, f := range forms() {
				switch {
				case s.shell && f.name != "direct": // TestLimitsOfTheLauncher
				case i >= named && (f.name != "direct" || r.IntN(4) > 0): // nothing to a shell, and the same program in all plugins
				default:
					all = append(all, attack{s, p, f, r.IntN(4) == 0})
				}
			}
		}
	}
	if !*full { // those of Go all, of the others a part, with any plugin
		var part []attack
		for i, s := range table {
			for _, f := range forms() {
				switch {
				case s.shell && f.name != "direct":
				case i < named && (f.name == "direct" && r.IntN(30) == 0 || r.IntN(120) == 0), i >= named && f.shell == "" && r.IntN(600) == 0, strings.HasPrefix(s.name, `"GO`) && f.name == "direct":
					part = append(part, attack{s, plugins[r.IntN(len(plugins))], f, r.IntN(6) == 0})
				}
			}
		}
		all = part
	}

	rep := newReport(t)
	try := func(a attack, vars func(w *world) []string) (answer, string) {
		w := newWorld(t)
		defer w.done()
		for _, name := range []string{"trap", "sh", "uname", "git", "claude", "node", "bash", "dash", "env", "read", "exec", "springfield-hook", "springfield-judge"} {
			w.trap(w.Traps, name)
		}
		w.trap(w.Project, "uname")
		event := w.play(a.p)
		if a.held {
			write(t, w.State("hold"), `{"since":1}`)
		}
		w.own()
		before := w.outside(a.p)
		o := w.hook(a.f, a.p, event, vars(w)...)
		rep.ran(o)
		said, wrong := reads(o)
		if wrong == "" {
			if started := w.started(); started != "" {
				wrong = "it starts " + started
			} else if diff := before.changed(w.outside(a.p)); diff != "" {
				wrong = "outside of the state directory: " + diff
			}
		}
		return said, wrong
	}
	for _, p := range plugins { // or nothing below shows anything
		for _, f := range forms() {
			for held, want := range map[bool]answer{false: goesOn, true: stops} {
				said, wrong := try(attack{p: p, f: f, held: held}, func(*world) []string { return nil })
				if held && p.event != "" {
					want = said // a reminder is no continue, and a hold is about stops
				}
				if said != want || wrong != "" {
					t.Fatalf("%s, %s, hold %v, without any variable: %s %s", p.name, f.name, held, said, wrong)
				}
			}
		}
	}
	each(all, func(a attack) {
		said, wrong := try(a, a.s.in)
		if wrong == "" && a.held && said == goesOn && a.p.event == "" {
			wrong = "it goes on although a hold is in force"
		}
		if said == stops {
			rep.count("stops", 1)
		}
		if wrong != "" {
			rep.fault(a.f.name+": "+a.s.name, "%s, hold %v: %s", a.p.name, a.held, wrong)
		}
	})
	t.Logf("%d settings × %d plugins × %d ways to start, %d with -seed %d: %d runs, at most %d MiB; wrong: %d", len(table), len(plugins), len(forms()), len(all), *seed, rep.runs, rep.peak>>20, rep.wrong)
}

// A shell and its loader obey some variables before the first line of the launcher can do anything about it. What
// holds all the same: exit 0, no process left, and no decision but a stop or the one without the variable. A plugin
// for one machine has no launcher, and to its hook they are nothing (TestEnvironment).
func TestLimitsOfTheLauncher(t *testing.T) {
	r, runs := draw(t), 0
	for _, s := range settingsAttacks(t, &world{t: t, Home: someHome, Canary: someHome + "/canary", Traps: someTrap}) {
		for _, f := range forms()[1:] {
			if !s.shell || !*full && r.IntN(3) > 0 {
				continue
			}
			w := newWorld(t)
			w.trap(w.Traps, "trap")
			event := w.play(plugins[0])
			w.own()
			if o := w.hook(f, plugins[0], event, s.in(w)...); o.Code != 0 || o.Left {
				t.Errorf("%s, %s: exit %d, %s", f.name, s.name, o.Code, o.Stderr)
			}
			runs++
			w.done()
		}
	}
	t.Logf("%d runs of the launcher with what its shell obeys before it", runs)
}

// Where the kernel does not name the machine, the launcher has to ask a program:
// the system's own, whatever the project puts on PATH or in its place.
func TestLauncherAsksTheSystem(t *testing.T) {
	r := draw(t)
	suite, err := launched()
	must(t, err)
	text, err := os.ReadFile(filepath.Join(suite, "ned-flanders", "hooks", "springfield-hook"))
	must(t, err)
	if !strings.Contains(string(text), "/proc/sys/kernel/arch") {
		t.Fatal("the launcher does not ask the kernel: this test is about another one")
	}
	elsewhere := filepath.Join(suite, "ned-flanders", "hooks", "elsewhere")
	must(t, os.WriteFile(elsewhere, []byte(strings.ReplaceAll(string(text), "/proc/sys/kernel/arch", "/nowhere")), 0o755))
	rep := newReport(t)
	table := settingsAttacks(t, &world{t: t, Home: someHome, Canary: someHome + "/canary", Traps: someTrap})
	for _, f := range forms()[1:] {
		each(append([]setting{{name: "nothing"}}, some(r, table, 4)...), func(s setting) {
			if s.shell || len(s.vars) > 100 {
				return
			}
			w := newWorld(t)
			defer w.done()
			for _, name := range []string{"trap", "sh", "uname", "read", "exec", "["} {
				w.trap(w.Traps, name)
			}
			w.trap(w.Project, "uname")
			event := w.play(plugins[0])
			w.own()
			o := w.hookAt(f, filepath.Join(suite, "ned-flanders"), elsewhere, event, s.in(w)...)
			rep.ran(o)
			said, wrong := reads(o)
			switch {
			case wrong != "":
				rep.fault(f.name+": "+s.name, "%s", wrong)
			case w.started() != "":
				rep.fault(f.name+": "+s.name, "it starts %s", w.started())
			case s.vars == nil && said != goesOn:
				t.Errorf("%s: it does not find out where it is: %s", f.name, o.Stderr)
			}
		})
	}
	t.Logf("%d runs of the launcher where the kernel does not name the machine; wrong: %d", rep.runs, rep.wrong)
}
