package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/generator"
	"github.com/cameronsjo/springfield/installer"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

type validateOptions struct {
	dir    string // "": the suite around the working directory
	strict bool
	json   bool
}

func newValidate(a *app, runF func(context.Context, *app, validateOptions) error) *cobra.Command {
	var o validateOptions
	cmd := &cobra.Command{
		Use:   "validate [DIR]",
		Short: "Check every file of a suite, and have Claude Code check it too",
		Long: `Check the suite in DIR, or around the current directory: every file against its schema, names and
versions against ` + generator.SuiteFile + `, hooks against the recorded checksums, rules as the hook reads
them. Where Claude Code is installed, claude plugin validate --strict has its say, away from your
settings. Nothing is changed.`,
		Args: arguments(0, 1, "at most one directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.dir = args[0]
			}
			return runF(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.strict, "strict", false, "fail on warnings too")
	f.BoolVar(&o.json, "json", false, "print the result as JSON")
	return cmd
}

// said is a check's finding with its place.
type said struct {
	Check  string  `json:"check"`
	State  verdict `json:"state"`
	File   string  `json:"file,omitempty"`
	Line   int     `json:"line,omitempty"`
	Column int     `json:"column,omitempty"`
	Says   string  `json:"says"`
	Fix    string  `json:"fix,omitempty"`
}

func (s said) finding() finding {
	where := s.File
	if s.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Column)
	}
	if where != "" {
		where += ": "
	}
	return finding{Check: s.Check, State: s.State, Says: where + s.Says, Fix: s.Fix}
}

func runValidate(ctx context.Context, a *app, o validateOptions) error {
	dir, err := a.suiteDir(o.dir)
	if err != nil {
		return err
	}
	all, err := a.validate(ctx, dir)
	if err != nil {
		return err
	}
	if o.json {
		err = a.encode(struct {
			Suite  string `json:"suite"`
			Checks []said `json:"checks"`
		}{dir, all})
	} else {
		var findings []finding
		for _, s := range all {
			findings = append(findings, s.finding())
		}
		err = a.printFindings(findings, false)
	}
	if err != nil {
		return err
	}
	var failed, warned int
	for _, s := range all {
		switch s.State {
		case failure:
			failed++
		case warning:
			warned++
		}
	}
	switch {
	case failed > 0:
		return &hinted{fmt.Errorf("%s is not valid: %s", dir, count(failed, "failure")), "what to do is said beside each"}
	case warned > 0 && o.strict:
		return &hinted{fmt.Errorf("%s has %s, and --strict takes none", dir, count(warned, "warning")), "what to do is said beside each"}
	}
	return nil
}

// validate asks everybody who knows something about a suite.
func (a *app) validate(ctx context.Context, dir string) ([]said, error) {
	faults, err := generator.Validate(dir)
	if errors.Is(err, generator.ErrNoSuite) {
		return nil, &hinted{err, "it has no " + generator.SuiteFile + "; springfield init makes a suite"}
	}
	if err != nil {
		return nil, err
	}
	suite, unread := generator.ReadSuite(dir)
	var all []said
	for _, area := range generator.Areas() {
		var here []said
		for _, f := range faults {
			if f.Area == area {
				here = append(here, said{area, verdict(f.Severity), f.File, f.Line, f.Column, f.Says, f.Fix})
			}
		}
		if area == "rules" && unread == nil && len(here) == 0 {
			here = readRules(dir, suite)
		}
		if len(here) == 0 && (unread == nil || area == "suite") {
			here = []said{{Check: area, State: fine, Says: fineWords(area, suite)}}
		}
		all = append(all, here...)
	}
	if unread != nil {
		return all, nil // the rest hangs on what cannot be understood
	}
	client, err := a.askClient(ctx, dir, suite)
	return append(all, client...), err
}

// fineWords say what an area without a fault is about.
func fineWords(area string, s generator.Suite) string {
	plugins := count(len(s.Plugins), "plugin")
	switch area {
	case "suite":
		return fmt.Sprintf("%s: %s, %s", generator.SuiteFile, plugins, count(len(s.Targets), "target"))
	case "marketplace":
		return "marketplace.json offers what is here"
	case "manifest":
		return "plugin.json of " + plugins + ": names and versions are those of " + generator.SuiteFile
	case "hooks":
		return "hooks.json of " + plugins + ": every client that is supported takes it"
	case "rules":
		return "strategy.json of " + plugins + ": the hook takes it as it is"
	case "binaries":
		return fmt.Sprintf("hooks of %s, for %s: there, executable, and what is recorded", plugins, count(len(s.Targets), "target"))
	}
	return "nothing is missing, and nothing is there that should not be"
}

// readRules has the hook's own reader look at each strategy.json.
func readRules(dir string, suite generator.Suite) []said {
	var all []said
	for _, p := range suite.Plugins {
		root := filepath.Join(dir, p.Name)
		file := filepath.Join(root, "strategy.json")
		if refuseLink(dir, p.Name+"/strategy.json") != nil {
			continue // that is said already
		}
		settings, err := hook.ReadSettings(root, "", "")
		faults := settings.Faults
		if err != nil {
			faults = []string{err.Error()}
		}
		for _, err := range strategy.CheckPatterns(settings.Config) {
			faults = append(faults, err.Error())
		}
		for _, text := range faults {
			text = strings.TrimPrefix(strings.TrimPrefix(text, "read "), file+": ")
			s := said{Check: "rules", State: failure, File: p.Name + "/strategy.json", Says: text, Fix: "until then the hook goes by the rest"}
			s.Line, s.Column = placeOf(file, text)
			all = append(all, s)
		}
	}
	return all
}

// placeOf finds in a file what a fault names: the line and column that it says,
// else where the last thing it quotes stands.
func placeOf(file, text string) (line, column int) {
	if at := regexp.MustCompile(`line (\d+), column (\d+)`).FindStringSubmatch(text); at != nil {
		line, _ = strconv.Atoi(at[1])
		column, _ = strconv.Atoi(at[2])
		return line, column
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, 0
	}
	i := -1
	if quoted := regexp.MustCompile(`"[^"]*"`).FindAllString(text, -1); quoted != nil {
		i = bytes.LastIndex(data, []byte(quoted[len(quoted)-1]))
	}
	before := data[:max(i, 0)]
	return 1 + bytes.Count(before, []byte("\n")), 1 + len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:])))
}

// clientReport is what claude plugin validate --json prints, as far as we read.
type clientReport struct {
	Manifest  clientPart
	Contents  []clientPart
	Directory *struct {
		Findings []struct{ Title, File, Field, Message, Fix string }
		Failure  string
	}
}

type clientPart struct {
	File             string
	Errors, Warnings []struct{ Path, Message string }
}

const clientPatience = 30 * time.Second

// askClient has Claude Code validate the suite and each plugin, in a
// configuration of its own, so that it neither sees nor touches the user's.
func (a *app) askClient(ctx context.Context, dir string, suite generator.Suite) (all []said, err error) {
	client := a.claude(installer.Places{})
	if client.Command == "" {
		return []said{{Check: "client", State: note, Says: "there is no claude on PATH, so Claude Code has not been asked"}}, nil
	}
	throwaway, err := os.MkdirTemp("", "springfield-validate-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(throwaway)) }()
	call := func(args ...string) (out string, passed bool, err error) {
		ctx, cancel := context.WithTimeout(ctx, clientPatience)
		defer cancel()
		cmd := exec.CommandContext(ctx, client.Command, append([]string{"plugin", "validate"}, args...)...)
		cmd.Dir = throwaway
		cmd.Env = append(slices.Clone(client.Env), "CLAUDE_CONFIG_DIR="+throwaway, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1")
		cmd.WaitDelay = time.Second
		text, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && ctx.Err() == nil {
			return string(text), false, nil
		}
		return string(text), err == nil, err
	}
	version, _ := client.Version(ctx)
	name := strings.TrimSpace("Claude Code " + version)
	a.talk("asking %s", name)
	help, _, err := call("--help")
	if err != nil {
		return []said{{Check: "client", State: warning, Says: fmt.Sprintf("%s cannot be asked: %v", name, err)}}, ctx.Err()
	}
	directory := strings.Contains(help, "--profile")
	for i, target := range append([]string{"."}, names(suite.Plugins)...) {
		args := []string{"--strict"}
		if strings.Contains(help, "--json") {
			args = append(args, "--json")
		}
		if directory && i > 0 {
			args = append(args, "--profile", "directory")
		}
		out, passed, err := call(append(args, filepath.Join(dir, target))...)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return append(all, said{Check: "client", State: warning, Says: fmt.Sprintf("%s has no answer about %s: %v", name, target, err)}), nil
		}
		found := readClient(dir, target, out)
		if !passed && len(found) == 0 {
			found = []said{{Check: "client", State: failure, File: target, Says: "Claude Code refuses it without a reason", Fix: "claude plugin validate --strict " + quoted(filepath.Join(dir, target))}}
		}
		all = append(all, found...)
	}
	if !slices.ContainsFunc(all, func(s said) bool { return s.State != note }) {
		says := name + ": claude plugin validate --strict has nothing against it"
		if directory {
			says += ", nor has its plugin directory"
		}
		all = append([]said{{Check: "client", State: fine, Says: says}}, all...)
	}
	return explainExpected(all), nil
}

// expected begins the one warning that every plugin has.
const expected = "CLAUDE.md at the plugin root is not loaded"

// explainExpected makes the warnings that are expected into one note.
func explainExpected(all []said) []said {
	n := len(all)
	all = slices.DeleteFunc(all, func(s said) bool { return strings.HasPrefix(s.Says, expected) })
	if n > len(all) {
		all = append(all, said{Check: "client", State: note, File: "CLAUDE.md",
			Says: "Claude Code warns that it does not load it from a plugin; that is expected, it is for whoever works on the plugin"})
	}
	return all
}

// readClient reads what the client prints: JSON, or from older ones text.
func readClient(dir, target, out string) []said {
	var all []said
	add := func(state verdict, file, path, message, fix string) {
		if relative, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) {
			file = filepath.ToSlash(relative)
		} else if file != "" && !filepath.IsAbs(file) && target != "." {
			file = target + "/" + file
		}
		if path != "" && path != "root" {
			message = path + ": " + message
		}
		if strings.HasPrefix(message, expected) {
			state = note
		}
		all = append(all, said{Check: "client", State: state, File: file, Says: message, Fix: fix})
	}
	var r clientReport
	if err := json.Unmarshal([]byte(out), &r); err == nil {
		for _, part := range append(r.Contents, r.Manifest) {
			for _, e := range part.Errors {
				add(failure, part.File, e.Path, e.Message, "")
			}
			for _, w := range part.Warnings {
				add(warning, part.File, w.Path, w.Message, "")
			}
		}
		if r.Directory != nil {
			for _, f := range r.Directory.Findings {
				add(warning, f.File, f.Field, f.Message, f.Fix)
			}
		}
		return all
	}
	state, file := warning, ""
	for _, line := range strings.Split(out, "\n") {
		line = strings.TrimSpace(line)
		switch rest, isFinding := strings.CutPrefix(line, "❯ "); {
		case strings.HasPrefix(line, "Validating "):
			_, file, _ = strings.Cut(line, ": ")
		case strings.HasPrefix(line, "✘ Found"):
			state = failure
		case strings.HasPrefix(line, "⚠ Found"):
			state = warning
		case isFinding:
			path, message, _ := strings.Cut(rest, ": ")
			add(state, file, path, message, "")
		}
	}
	return all
}
