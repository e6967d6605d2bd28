package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// commandLine returns the arguments of a line that calls springfield.
func commandLine(line string) (args []string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSpace(line), "springfield ")
	line, _, _ = strings.Cut(line, "   ") // a remark
	line, _, _ = strings.Cut(line, " >")
	return words(line), ok
}

// words splits a line as a shell does, up to an open quotation.
func words(line string) []string {
	all, _ := shellquote.Split(line)
	return all
}

// docs/cli.md is generated from the commands.
func TestCLIDocIsCurrent(t *testing.T) {
	scratch.Golden(t, "../../docs/cli.md", []byte(cliDoc(newRoot(&app{}))))
}

const cliIntro = `# Commands

<!-- Made by go test ./cmd/springfield -run TestCLIDocIsCurrent -update -->

These are the texts of ` + "`springfield COMMAND --help`" + `, which also has examples. Your shell can [complete](#completion) commands, flags and values.

Exit codes: 0 done; 1 failed, with the reason and usually a hint; 2 wrong usage; 130 cancelled by Ctrl-C or your answer.

Common flags, explained only here:

- ` + "`--json`" + `, of every command but completion: print [JSON](files.md#json-on-standard-output), also of a failure: ` + "`{\"error\": \"…\", \"hint\": \"…\"}`" + `
`

// commonFlags are explained once, above all commands. --json is nearly everywhere.
var commonFlags = []struct{ name, meaning string }{
	{"--json", "print JSON"},
	{"--dry-run", "print a diff, change nothing"},
	{"--host HOST", strings.Join(hosts.HostNames(), ", ") + ", or all"},
	{"--session ID", "only this session; the start of its ID is enough"},
	{"--dir DIR", "project directory (default: this project)"},
}

var (
	exampleLines = regexp.MustCompile(`(?s)\nExamples:\n.*?\n\nUsage:`)
	usageLines   = regexp.MustCompile(`(?s)^(.*?)\nUsage:\n  (.*?)(?:\n  \S[^\n]*COMMAND)?\n(.*)$`)
	listed       = regexp.MustCompile(`(?s)\nCommands:\n.*?\n\n|\n\S[^\n]* COMMAND --help shows examples and flags of a command\.\n`)
	startOfLine  = regexp.MustCompile(`(?m)^(.)`)
	flagRow      = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)( .*)\n(?: {12,}.*\n)*`)
)

// A reference is made of the help texts of commands.
type reference struct {
	owners map[string][]string // of a common flag: the commands that have it
	rows   map[string]string   // a flag with its meaning: the first subcommand that has it
}

// entryOf returns a help text that begins with the usage, if it is more than the heading. It leaves out examples, lists
// of subcommands, common flags, and the meaning of a flag that an earlier subcommand has.
func (r *reference) entryOf(cmd *cobra.Command) string {
	var b bytes.Buffer
	(&streams{out: &b}).printHelp(cmd)
	help := exampleLines.ReplaceAllString(b.String(), "\nUsage:")
	help = listed.ReplaceAllString(help, "\n")
	parts := usageLines.FindStringSubmatch(help)
	about, usage, rest := parts[1], parts[2]+"\n\n", parts[3]
	if strings.TrimSpace(usage) == cmd.CommandPath() {
		usage = ""
	}
	sub, first, again := cmd.Parent().HasParent(), "", ""
	rest = flagRow.ReplaceAllStringFunc(rest, func(row string) string {
		name, plain := flagRow.FindStringSubmatch(row)[1], strings.Join(strings.Fields(row), " ")
		for _, f := range commonFlags {
			if plain == f.name+" "+f.meaning {
				if owner := cmd.Name(); !sub {
					if cmd.HasSubCommands() {
						owner += " and its commands"
					}
					r.owners[f.name] = append(r.owners[f.name], owner)
				}
				return ""
			}
		}
		if sub && r.rows[plain] != "" {
			first, again = r.rows[plain], again+" "+name
			return ""
		}
		if sub {
			r.rows[plain] = cmd.Parent().Name() + " " + cmd.Name()
		}
		return row
	})
	rest = strings.TrimSuffix(strings.TrimRight(rest, "\n"), "\nFlags:")
	if again != "" {
		rest += "\n\nAs in " + first + ":" + again
	}
	return usage + strings.TrimRight(about+rest, "\n") + "\n"
}

// cliDoc returns the reference of all commands: common flags, links by group, then each help text.
func cliDoc(root *cobra.Command) string {
	r := reference{map[string][]string{}, map[string]string{}}
	var top, entries strings.Builder
	each(root, func(cmd *cobra.Command) {
		if cmd.Hidden || !cmd.HasParent() {
			return
		}
		level := "##"
		if cmd.Parent().HasParent() {
			level = "###"
		}
		name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		fmt.Fprintf(&entries, "\n%s %s\n\n%s", level, name, startOfLine.ReplaceAllString(r.entryOf(cmd), "    $1"))
	})
	top.WriteString(cliIntro)
	for _, f := range commonFlags[1:] {
		fmt.Fprintf(&top, "- `%s`, of %s: %s\n", f.name, strings.Join(r.owners[f.name], ", "), f.meaning)
	}
	for _, group := range root.Groups() {
		fmt.Fprintf(&top, "\n%s:", group.ID)
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				fmt.Fprintf(&top, " [%s](#%s)", cmd.Name(), cmd.Name())
			}
		}
		top.WriteString("\n")
	}
	return top.String() + entries.String()
}

// carriedHeads returns a directory of prebuilt hooks that are only the heads of programs. It is made once: packing
// takes half a second.
func carriedHeads(t *testing.T) string {
	t.Helper()
	dir := scratch.PackageTempPath("heads")
	packing.Do(func() {
		source, err := generator.SourceHash()
		must(t, err)
		built := generator.Build{Source: source, Go: runtime.Version(), SHA256: map[string]string{}, Judge: map[string]string{}}
		for _, target := range generator.AllTargets() {
			data := append(scratch.ProgramHead(target.OS, target.Arch), "springfield: this runtime reads no variable whose name begins with GO"...)
			sum := fmt.Sprintf("%x", sha256.Sum256(data))
			built.SHA256[target.String()], built.Judge[target.String()] = sum, sum
			for _, program := range []generator.Program{generator.Hook, generator.Judge} {
				built.Binaries = append(built.Binaries, generator.Binary{Program: program, Target: target, Data: data})
			}
		}
		must(t, generator.WritePrebuilt(dir, built))
	})
	return dir
}

// onWrite is called with all that is written.
type onWrite func(text string)

func (f onWrite) Write(p []byte) (int, error) { f(string(p)); return len(p), nil }

// The user's own suite is changed by one springfield at a time, after the other has ended, and keeps what that one added.
func TestDefaultSuiteIsLocked(t *testing.T) {
	w := newWorld(t)
	must(t, os.MkdirAll(filepath.Join(w.home(), ".copilot", "logs"), 0o755))
	a := w.app(io.Discard, io.Discard)
	must(t, a.findPlaces())
	suite := a.defaultSuite(t.Context())
	defer suite.Close()
	for _, agents := range []string{"claude", "claude,copilot"} {
		unlock, err := settings.Journal(a.places).LockDir(suite.Dir)
		must(t, err)
		said := ""
		code := w.callTo(t, io.Discard, onWrite(func(text string) {
			if said += text; strings.Contains(text, "waiting: ") {
				unlock()
			}
		}), "enable", "ned-flanders", "--host", agents)
		says := "waiting: another springfield is running, on the same suite; Ctrl-C ends the wait\n"
		if code != 0 || strings.Count(said, says) != 1 {
			t.Errorf("%s: exit code %d, %s", agents, code, said)
		}
		w.must(t, "undo")
	}
	tried := installer.EnableRequest{Plugin: "ned-flanders", Scope: client.User, DefaultSuite: suite, DryRun: true}
	_, err := installer.EnablePlugin(t.Context(), a.means(), hosts.ClaudeHost(), tried)
	must(t, err)
	w.must(t, "enable", "lisa-simpson", "--host", "claude,copilot")
	tried.DryRun = false
	_, err = installer.EnablePlugin(t.Context(), a.means(), hosts.ClaudeHost(), tried)
	must(t, err)
	scratch.Holds(t, "catalog", scratch.ReadOrNone(t, filepath.Join(suite.Dir, ".claude-plugin", "marketplace.json")), `"ned-flanders"`, `"lisa-simpson"`)
}

// The CLI and the hook use the same names for a host.
func TestHostsAreTheHooks(t *testing.T) {
	for _, h := range hosts.AllHosts() {
		known, ok := registry.HostNamed(h.Name)
		switch {
		case !ok:
			t.Errorf("the hook has no host %s", h.Name)
		case h.Title != known.Title || h.Agent != known.Agent || h.Name != known.Program || "~/"+h.Dir != known.Dir || !h.Above && h.Variable != known.DirVariable:
			t.Errorf("%s is %q, %q, %q, %q, %q to the CLI, and %q, %q, %q, %q, %q to the hook", h.Name,
				h.Title, h.Agent, h.Name, "~/"+h.Dir, h.Variable, known.Title, known.Agent, known.Program, known.Dir, known.DirVariable)
		}
	}
}

// Wrong arguments, commands, flags and values exit with 2 in every command.
func TestWrongUsage(t *testing.T) {
	w := newWorld(t)
	for _, line := range []string{
		"nope", "--nope", "help nope", "help loop nope",
		"init a b", "init --target linux", "init --target mips/x --yes", "init --owner", "init x --yes --set foo", "init x --yes --set ned-flanders.nope=1",
		"init x --yes --set ned-flanders.rules=nope", "init x --yes --strategy nelson", "init x --yes --marketplace Bad_Name", "init x --all --strategy ned-flanders",
		"new", "new a b", "new Bad --from ned-flanders", "new x --from nelson", "new x",
		"build a b", "build --builder x", "update a b", "validate a b",
		"enable", "enable x --scope y", "enable x --conflicts y", "disable", "disable x --scope y",
		"set", "set ned-flanders --scope project", "set a b=c --scope c",
		"doctor x", "undo x", "undo --list --forget", "undo --list --dry-run", "status x", "list x",
		"why a b", "log x", "log -n 0", "log -n x", "why --all=x", "hold x", "hold 9999d", "resume x",
		"loop nope", "loop set max", "loop history x", "loop history -n 0", "loop history show", "loop history rerun", "loop stop x", "loop status x", "loop start x --max 0",
		"replay --since x", "replay --list x", "replay -n 3", "replay --strategy nope", "replay --list all --html x",
		"explain", "explain a b", "explain a --line -1", "explain ../log.jsonl --strategy nope", "explain ../log.jsonl --rules nope",
		"publish a b", "publish --bump x", "publish --bump patch --version 1.0.0", "publish --source x", "publish --note", "publish --check --bump patch",
		"completion", "completion x", "version x", "prebuild",
	} {
		c := w.call(t, strings.Fields(line)...)
		if c.code != wrongUsage || !strings.Contains(c.err, "hint: ") || strings.Contains(c.err, "strconv") {
			t.Errorf("springfield %s: exit code %d\n%s%s", line, c.code, c.out, c.err)
		}
	}
}

// A test writes the man pages, so that the program does not contain their generator. make man runs it with -man DIR.

var man = flag.String("man", "", "write the man pages into this directory")

// manPages returns the pages of a command and its subcommands by file name. They have no date,
// so the same sources produce the same pages.
func manPages(cmd *cobra.Command) (map[string][]byte, error) {
	cmd.InitDefaultHelpFlag()
	cmd.DisableAutoGenTag = true
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ") // keeps the lines of indented blocks
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var b bytes.Buffer
	err := doc.GenMan(cmd, &doc.GenManHeader{
		Title: strings.ToUpper(name), Section: "1", Date: &time.Time{}, Source: "springfield", Manual: "springfield",
	}, &b)
	pages := map[string][]byte{name + ".1": bytes.Replace(b.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)}
	for _, child := range cmd.Commands() {
		if err != nil || child.Hidden || child.Name() == "help" {
			continue
		}
		var below map[string][]byte
		below, err = manPages(child)
		maps.Copy(pages, below)
	}
	return pages, err
}

func TestManPages(t *testing.T) {
	pages, err := manPages(newRoot(&app{}))
	must(t, err)
	for _, cmd := range newRoot(&app{}).Commands() {
		page := pages["springfield-"+cmd.Name()+".1"]
		if !cmd.Hidden && (!bytes.Contains(page, []byte(`.TH "SPRINGFIELD`)) || bytes.Contains(page, []byte("0001"))) {
			t.Errorf("the page of %s has no title, or a date:\n%s", cmd.Name(), page)
		}
	}
	release := scratch.ReadFile(t, filepath.Join("..", "..", ".goreleaser.yaml"))
	var released []string
	for _, line := range regexp.MustCompile(`(?m)^ +- man/(.*)$`).FindAllSubmatch(release, -1) {
		released = append(released, string(line[1]))
	}
	scratch.Equal(t, released, slices.Sorted(maps.Keys(pages))) // .goreleaser.yaml lists the pages of the cask
	if *man == "" {
		return
	}
	must(t, os.MkdirAll(*man, 0o755))
	for file, page := range pages {
		must(t, os.WriteFile(filepath.Join(*man, file), page, 0o644))
	}
}

// Help is wrapped to the width of the terminal, and rows continue below their last column.
func TestHelpOfANarrowTerminal(t *testing.T) {
	for name, want := range map[string]string{
		"watch":    "\n\nShows every session of every project on one line, until\nCtrl-C: its state and",
		"hold":     "\n      --session ID  only this session; the start of its ID\n                    is enough\n",
		"loop set": "\n  max                number of turns, up to 500 at your\n                     terminal, elsewhere up to your ceiling\n",
		"enable":   "\n  springfield enable ned-flanders --host codex,copilot\n    --dry-run\n",
	} {
		cmd, _, err := newRoot(&app{}).Find(strings.Fields(name))
		must(t, err)
		var b bytes.Buffer
		(&streams{out: &b, columns: 60}).printHelp(cmd)
		scratch.Holds(t, name, b.String(), want)
	}
}

// A suite's owner always has a name (twpayne/chezmoi#953).
func TestOwnerWithoutAPasswdEntry(t *testing.T) {
	if name := loginOrUID(nil, user.UnknownUserIdError(4242)); name == "" {
		t.Error("no name")
	}
}
