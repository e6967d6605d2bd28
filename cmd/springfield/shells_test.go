//go:build shells

package main

// Completion in real shells: make shells. It takes bash with bash-completion, zsh and fish.

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// offered are what a shell is to offer after what is typed.
var offered = []struct {
	typed string
	want  []string
}{
	{"springfield en", []string{"enable"}},
	{"springfield st", []string{"status"}},
	{"springfield enable ned", []string{"ned-flanders"}},
	{"springfield set ned", []string{"ned-flanders"}},
	{"springfield set ned-flanders budget.", []string{"budget.burst", "budget.hour", "budget.prompt"}},
	{"springfield loop his", []string{"history"}},
	{"springfield help loop st", []string{"start", "status", "stop"}},
	{"springfield init --stra", []string{"--strategy"}},
}

func TestShells(t *testing.T) {
	program := scratch.Program(t, "cmd/springfield")
	w := newWorld(t)
	scratch.PlaceProgram(t, program, filepath.Join(w.dir, "bin", "springfield"))
	w.must(t, "init", "hooks", "--yes", "--owner", "Ned")
	env := []string{"HOME=" + w.home(), "PATH=" + filepath.Join(w.dir, "bin") + ":/usr/bin:/bin", "TERM=dumb", "LC_ALL=C.UTF-8"}

	t.Run("bash", func(t *testing.T) {
		const script = `source /usr/share/bash-completion/bash_completion
source <(springfield completion bash)
COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_KEY=9
read -ra COMP_WORDS <<<"$1"; [[ "$1" != *" " ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__start_springfield; printf '%s\n' "${COMPREPLY[@]}"`
		for _, o := range offered {
			asks(t, w, env, o.typed, o.want, "bash", "--norc", "-c", script, "bash", o.typed)
		}
	})
	t.Run("fish", func(t *testing.T) {
		for _, o := range offered {
			asks(t, w, env, o.typed, o.want, "fish", "--no-config", "-c", `springfield completion fish | source; complete -C "$argv[1]"`, o.typed)
		}
	})
	t.Run("zsh", func(t *testing.T) { // which completes at a terminal alone, with the same words: here the script is loaded
		const script = `autoload -U compinit; compinit -u -D; source <(springfield completion zsh); print $_comps[springfield]`
		asks(t, w, env, "", []string{"_springfield"}, "zsh", "-f", "-c", script)
	})
}

// asks asks a shell's completion what it offers: a word a line, its meaning behind it.
func asks(t *testing.T, w world, env []string, typed string, want []string, shell string, args ...string) {
	t.Helper()
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Env = w.work(), env
	out, err := cmd.Output()
	must(t, err, shell, out)
	var got []string
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) > 0 {
			got = append(got, fields[0])
		}
	}
	slices.Sort(got)
	scratch.Equal(t, slices.Compact(got), want, shell, typed, "offers", got)
}
