package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write docs/cli.md")

// commandLine are the arguments of a line in which springfield is called.
func commandLine(line string) (args []string, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSpace(line), "springfield ")
	line, _, _ = strings.Cut(line, "   ") // a remark
	line, _, _ = strings.Cut(line, " >")
	return words(line), ok
}

// words splits a line as a shell does, with quotation marks and backslashes.
func words(line string) (all []string) {
	word, quote, begun, escaped := "", rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			word, escaped = word+string(r), false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && r == ' ':
			if begun {
				all = append(all, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(r), true
		}
	}
	if begun {
		all = append(all, word)
	}
	return all
}

func helpOf(cmd *cobra.Command) string {
	var b bytes.Buffer
	(&app{out: &b}).printHelp(cmd)
	return b.String()
}

// docs/cli.md is made from the commands.
func TestCLIDocIsCurrent(t *testing.T) {
	const file = "../../docs/cli.md"
	want := []byte(cliDoc(newRoot(&app{})))
	if *update {
		must(t, os.WriteFile(file, want, 0o644))
	}
	if is, err := os.ReadFile(file); err != nil || !bytes.Equal(is, want) {
		t.Errorf("%s is not what the commands say (%v): go test ./cmd/springfield -run TestCLIDocIsCurrent -update", file, err)
	}
}

const cliIntro = `# Commands

<!-- Made by go test ./cmd/springfield -run TestCLIDocIsCurrent -update -->

` + "`springfield COMMAND --help`" + ` shows the same on a terminal, and ` + "`springfield completion SHELL`" + ` completes commands, flags and values in
bash, zsh, fish and PowerShell.

| exit code | |
|---|---|
| 0 | done |
| 1 | failed: the message says why, and the hint what to do |
| 2 | wrong usage: an unknown command, flag or value |
| 130 | cancelled, by Ctrl-C or by your answer |

With ` + "`--json`" + ` the result is JSON on standard output, also of a failure: ` + "`{\"error\": \"…\", \"hint\": \"…\"}`" + `. [files.md](files.md#json-on-standard-output)
describes every result.
`

// cliDoc is the reference of all commands: links by groups, then each.
func cliDoc(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(cliIntro)
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n%s:", group.ID)
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				fmt.Fprintf(&b, " [%s](#springfield-%s)", cmd.Name(), cmd.Name())
			}
		}
		b.WriteString("\n")
	}
	each(root, func(cmd *cobra.Command) {
		if cmd.Hidden || !cmd.HasParent() {
			return
		}
		level := "##"
		if cmd.Parent().HasParent() {
			level = "###"
		}
		fmt.Fprintf(&b, "\n%s %s\n\n```text\n%s```\n", level, cmd.CommandPath(), helpOf(cmd))
	})
	return b.String()
}
