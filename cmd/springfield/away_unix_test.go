//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
	"github.com/cameronsjo/springfield/internal/typist"
)

// The questions about settings come first, and nothing is changed before the last one, which is about the order.
func TestAwayIsAskedAbout(t *testing.T) {
	desk := desks(t)["springfield"]
	command := func(args ...string) *exec.Cmd {
		cmd := desk(t, args...)
		cmd.Env = append(cmd.Env, "PREBUILT="+carriedHeads(t))
		return cmd
	}
	home := command().Dir
	for _, args := range [][]string{{"init", "suite", "--yes", "--owner", "Ned", "--strategy", "ned-flanders"}, {"enable", "ned-flanders", "--suite", "suite"}} {
		if out, code := told(t, command(args...)); code != 0 {
			t.Fatalf("%v: %s", args, out)
		}
	}
	orders, local := filepath.Join(home, ".claude", "springfield", "away.json"), filepath.Join(home, "p", ".claude", "settings.local.json")
	must(t, os.Mkdir(filepath.Join(home, "p"), 0o755)) // sessions in the home heed no order
	for name, test := range map[string]struct {
		keys      []string // at each question
		set, rule bool
	}{
		"no":                     {keys: []string{"n\n", "n\n"}},
		"nothing":                {keys: []string{"\n", "\n"}},
		"Ctrl-C":                 {keys: []string{ctrlC}},
		"Ctrl-D":                 {keys: []string{ctrlD, ctrlD}},
		"the terminal is closed": {keys: []string{"closed"}},
		"Ctrl-C at the order":    {keys: []string{"y\n", ctrlC}},
		"closed at the order":    {keys: []string{"y\n", "closed"}},
		"no to the order":        {keys: []string{"y\n", "n\n"}},
		"yes without the rule":   {keys: []string{"n\n", "y\n"}, set: true},
		"yes":                    {keys: []string{"y\n", "y\n"}, set: true, rule: true},
	} {
		var out bytes.Buffer
		cmd, asked := command("away", "8h", "--check", "make test"), 0
		cmd.Dir = filepath.Join(home, "p")
		cmd.Stdout, cmd.Stderr = &out, &out
		screen, _ := typist.RunTyping(cmd, func() string {
			asked++
			for _, file := range []string{orders, local} {
				if _, err := os.Stat(file); err == nil {
					t.Errorf("%s: at question %d there is %s", name, asked, file)
				}
			}
			if asked > len(test.keys) || test.keys[asked-1] == "closed" {
				must(t, cmd.Process.Signal(syscall.SIGHUP))
				return ""
			}
			return test.keys[asked-1]
		})
		text, err := os.ReadFile(orders)
		_, changed := os.Stat(local)
		set := cmd.ProcessState.ExitCode() == 0
		if set != test.set || set != (err == nil) || test.rule != (changed == nil) || asked != len(test.keys) {
			t.Errorf("%s: %v, %v, %v, %d questions\n%s%s", name, cmd.ProcessState, err, changed, asked, &out, screen)
		}
		if lacks := strings.Contains(out.String(), "run the check, it is denied"); lacks != (len(test.keys) > 1 && test.keys[0] != "y\n") {
			t.Errorf("%s: that the rule lacks is said: %v\n%s", name, lacks, &out)
		}
		allow, keep := strings.Index(screen, "Allow Bash(make test)"), strings.Index(screen, "Keep agents at work")
		if allow < 0 || (keep > allow) != (len(test.keys) > 1) {
			t.Errorf("%s: the order is not asked about last\n%s", name, screen)
		}
		for line := range strings.Lines(screen) {
			if len([]rune(strings.TrimRight(line, "\r\n"))) > columns {
				t.Errorf("%s: a terminal breaks this in a word: %s", name, line)
			}
		}
		if test.set && !strings.Contains(string(text), `"from":"/dev/tty"`) {
			t.Errorf("%s: %s", name, text)
		}
		os.Remove(orders)
		os.Remove(local)
	}
	cmd := command("away", "8h", "--check", "make test", "--yes")
	cmd.Dir = filepath.Join(home, "p")
	screen, _ := typist.RunTyping(cmd, func() string { return "n\n" })
	scratch.Holds(t, "the question of --yes", strings.Join(strings.Fields(screen), " "), "springfield will also allow Bash(make test) in local settings. [y/N]")
}

// An order ends after a duration or at a time of day, from a minute to a day away.
func TestEndIfSet(t *testing.T) {
	now := time.Date(2026, 3, 1, 22, 10, 30, 0, time.UTC)
	for typed, want := range map[string]string{
		"8h": "02 06:10:30", "90m": "01 23:40:30", "2 hours": "02 00:10:30", "1 hour 30 minutes": "01 23:40:30",
		"1h 30m": "01 23:40:30", "60s": "01 22:11:30", "24h": "02 22:10:30", "1d": "02 22:10:30", "22:10": "02 22:10:00",
		"06:10": "02 06:10:00", "6:10": "02 06:10:00", "23:00": "01 23:00:00", "00:00": "02 00:00:00",
		"xyz": "", "8": "", "0": "", "0m": "", "1h30": "", "8h 9h": "", "30m 1h": "", "06:10 8h": "", "24:00": "",
		"06:60": "", "59s": "", "22:11": "", "25h": "", "-8h": "", "06:10:00": "",
	} {
		end, err := endIfSet(typed, now)
		if got := end.Format("02 15:04:05"); err == nil && got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v; want %s", typed, got, err, want)
		}
		if err != nil && (!strings.Contains(err.Error(), "from 1 minute to 24 hours") || !strings.Contains(hintOf(err), "06:10")) {
			t.Errorf("%s: %v, hint: %s", typed, err, hintOf(err))
		}
	}
}

// A rule is added once to the existing ones.
func TestAddRule(t *testing.T) {
	for was, want := range map[string]string{
		"": `["Bash(make test)"]`, `[]`: `["Bash(make test)"]`, `["Bash(ls)"]`: `["Bash(ls)","Bash(make test)"]`, `["Bash(make test)"]`: "", `{}`: "error", `"x"`: "error",
	} {
		var raw []byte
		if was != "" {
			raw = []byte(was)
		}
		got, err := addMissingRule(raw, "Bash(make test)")
		if text := string(got); err != nil != (want == "error") || err == nil && text != want {
			t.Errorf("%s: %s, %v", was, got, err)
		}
	}
}
