// Commands of a shell that only look: they read, search, or run tests. A command that is not known
// can change anything.

package transcript

import (
	"slices"
	"strings"
)

// onlyLooks reports whether all that a command line starts changes nothing.
func onlyLooks(line string) bool {
	r := shellLine{rest: line}
	return strings.TrimSpace(line) != "" && r.looks(0, 0) && r.rest == ""
}

// shellLine goes through a command line as a shell does.
type shellLine struct{ rest string }

// maxInside is how deep one command may be inside another.
const maxInside = 8

// looks reads commands up to a character that ends them, 0 for the end of the line.
func (r *shellLine) looks(end byte, depth int) bool {
	var words []string
	word, begun := []byte(nil), false
	endWord := func() {
		if begun {
			words = append(words, string(word))
		}
		word, begun = nil, false
	}
	endCommand := func() bool {
		endWord()
		ok := commandLooks(words, depth)
		words = nil
		return ok
	}
	if depth > maxInside {
		return false
	}
	quoted := false
	for r.rest != "" {
		c := r.rest[0]
		r.rest = r.rest[1:]
		switch {
		case c == end && !quoted:
			return endCommand()
		case c == '"':
			quoted, begun = !quoted, true
		case c == '\\' && r.rest != "":
			word, begun = append(word, r.rest[0]), true
			r.rest = r.rest[1:]
		case c == '`', c == '$' && strings.HasPrefix(r.rest, "("), !quoted && c == '<' && strings.HasPrefix(r.rest, "("):
			ends := c
			if c != '`' {
				r.rest, ends = r.rest[1:], ')'
			}
			if !r.looks(ends, depth+1) {
				return false
			}
			word, begun = append(word, '$'), true
		case quoted:
			word = append(word, c)
		case c == '\'':
			text, rest, closed := strings.Cut(r.rest, "'")
			if word, begun, r.rest = append(word, text...), true, rest; !closed {
				return false
			}
		case c == '>' || c == '&' && strings.HasPrefix(r.rest, ">"):
			if strings.Trim(string(word), "0123456789") == "" {
				word, begun = nil, false // of the stream
			}
			if !r.skipHarmlessTarget() {
				return false
			}
		case c == ';', c == '|', c == '&', c == '\n':
			if !endCommand() {
				return false
			}
		case c == '(' && !begun && len(words) == 0:
			if !r.looks(')', depth+1) {
				return false
			}
		case c == '(', c == ')', c == '<' && strings.HasPrefix(r.rest, "<"):
			return false // a function, or a text that follows
		case c == ' ', c == '\t', c == '<':
			endWord()
		case c == '#' && !begun:
			_, r.rest, _ = strings.Cut(r.rest, "\n")
		default:
			word, begun = append(word, c), true
		}
	}
	return end == 0 && !quoted && endCommand()
}

// skipHarmlessTarget skips the target of a redirection that writes no file.
func (r *shellLine) skipHarmlessTarget() bool {
	rest := strings.TrimLeft(r.rest, "> ")
	for _, target := range [...]string{"/dev/null", "&1", "&2"} {
		if after, ok := strings.CutPrefix(rest, target); ok && (after == "" || strings.ContainsRune(" \t\n;|&)`\"", rune(after[0]))) {
			r.rest = after
			return true
		}
	}
	return false
}

// commandLooks reports whether one command changes nothing.
func commandLooks(words []string, depth int) bool {
	for len(words) > 0 && (slices.Contains(strings.Fields("{ } ! time then do else if elif while until fi done"), words[0]) || isAssignment(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 || words[0] == "for" {
		return true
	}
	name, args := words[0][strings.LastIndexByte(words[0], '/')+1:], words[1:]
	has := func(flags string) bool {
		return slices.ContainsFunc(args, func(arg string) bool {
			return slices.ContainsFunc(strings.Fields(flags), func(flag string) bool { return strings.HasPrefix(arg, flag) })
		})
	}
	first := func(allowed string) bool { return len(args) > 0 && slices.Contains(strings.Fields(allowed), args[0]) }
	switch {
	case slices.Contains(strings.Fields(`cat head tail ls pwd cd grep egrep fgrep zgrep rg ag wc which type echo printf jq du df stat file diff cmp cut tr nl
		less more basename dirname realpath readlink whoami id uname printenv true false test [ [[ sleep ps free uptime column fold rev paste comm
		md5sum sha1sum sha256sum od hexdump strings nproc seq exit return break continue shellcheck mypy pyright flake8 man`), name):
		return !has("--pre=") && !(name == "rg" && has("--pre"))
	}
	switch name {
	case "sort", "tree":
		return !has("-o --output") && !slices.ContainsFunc(args, func(arg string) bool {
			return arg[:min(1, len(arg))] == "-" && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "o")
		})
	case "uniq":
		return len(args) == 0 || len(args) == 1
	case "date":
		return !has("-s --set")
	case "find":
		return !has("-delete -exec -ok -fprint -fls")
	case "fd", "fdfind":
		return !has("-x -X --exec")
	case "sed":
		return sedLooks(args)
	case "env", "command", "timeout", "xargs", "nice", "npx", "bunx":
		return wrapperLooks(name, args, depth)
	case "bash", "sh", "zsh":
		return len(args) == 2 && (args[0] == "-c" || args[0] == "-lc") && depth < maxInside && (&shellLine{args[1]}).looks(0, depth+1)
	case "git":
		return gitLooks(args)
	case "gh":
		return len(args) > 1 && slices.Contains(strings.Fields("pr issue run repo release workflow"), args[0]) &&
			slices.Contains(strings.Fields("view list diff checks status watch"), args[1])
	case "docker", "podman":
		return first("ps images logs inspect version info")
	case "kubectl":
		return first("get describe logs top version")
	case "systemctl":
		return first("status is-active list-units")
	}
	return testLooks(name, args, has, first)
}

// testLooks knows what runs tests, and not what brings what they expect up to date.
func testLooks(name string, args []string, has func(string) bool, first func(string) bool) bool {
	if has("-u --update -update --fix -fix --write -w --snapshot-update --inline-snapshot --force-regen -o -exec -toolexec --in-place") ||
		slices.ContainsFunc(args, func(arg string) bool {
			return arg == "-c" || strings.Contains(arg, "update") || strings.Contains(arg, "profile")
		}) {
		return false
	}
	switch name {
	case "go":
		return first("test vet list version env doc")
	case "npm", "pnpm", "yarn", "bun":
		return first("test t ls list view outdated why") || first("run") && len(args) > 1 && (args[1] == "test" || strings.HasPrefix(args[1], "test:"))
	case "cargo":
		return first("test check tree metadata nextest")
	case "make", "just", "rake":
		return len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return !slices.Contains(strings.Fields("test tests check"), arg) })
	case "gradle", "gradlew", "mvn", "mvnw", "dotnet", "mix", "swift", "deno", "composer":
		return len(args) > 0 && !slices.ContainsFunc(args, func(arg string) bool { return arg[:min(1, len(arg))] != "-" && arg != "test" })
	case "python", "python3":
		return len(args) > 1 && args[0] == "-m" && (args[1] == "pytest" || args[1] == "unittest")
	case "ruff", "golangci-lint":
		return first("check run")
	case "tsc":
		return has("--noEmit")
	}
	return slices.Contains(strings.Fields("pytest tox nox jest vitest mocha rspec phpunit ctest eslint node_modules/.bin/jest"), name)
}

// wrapperLooks looks at the command that another one runs.
func wrapperLooks(name string, args []string, depth int) bool {
	switch {
	case name == "command":
		return len(args) > 1 && (args[0] == "-v" || args[0] == "-V")
	case name == "timeout" && len(args) > 0:
		args = args[1:]
	}
	for name != "env" && len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	if depth >= maxInside || len(args) == 0 && name != "env" {
		return false
	}
	return (len(args) == 0 || !strings.HasPrefix(args[0], "-")) && commandLooks(args, depth+1)
}

// gitLooks knows what of git only reads.
func gitLooks(args []string) bool {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-c" && !strings.HasPrefix(args[0], "--exec-path") {
		if args = args[1:]; len(args) > 0 && !strings.HasPrefix(args[0], "-") && strings.ContainsAny(args[0], "/.~$") { // of -C
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return false
	}
	word, args := args[0], args[1:]
	flagsIn := func(allowed string) bool {
		return !slices.ContainsFunc(args, func(arg string) bool { return !slices.Contains(strings.Fields(allowed), arg) })
	}
	switch word {
	case "log", "status", "diff", "show", "blame", "shortlog", "rev-parse", "rev-list", "ls-files", "ls-tree", "ls-remote", "describe", "cat-file",
		"grep", "name-rev", "merge-base", "for-each-ref", "show-ref", "count-objects", "check-ignore", "version":
		return !slices.ContainsFunc(args, func(arg string) bool {
			return strings.HasPrefix(arg, "--output") || strings.HasPrefix(arg, "-O") || strings.HasPrefix(arg, "--open-files")
		})
	case "branch":
		return flagsIn("-a -r -v -vv -av -avv -rv --all --remotes --list --show-current --verbose --merged --no-merged") ||
			len(args) == 2 && slices.Contains(strings.Fields("--list --contains --merged --no-merged"), args[0])
	case "remote":
		return flagsIn("-v --verbose") || args[0] == "show" || args[0] == "get-url"
	case "tag":
		return flagsIn("-l --list -n")
	case "stash", "worktree", "submodule", "reflog", "notes":
		return word == "reflog" && len(args) == 0 || len(args) > 0 && slices.Contains(strings.Fields("list show status"), args[0])
	case "config":
		return len(args) > 0 && slices.Contains(strings.Fields("--get --get-all --list -l get list"), args[0])
	}
	return false
}

// sedLooks reports whether sed only prints lines: its script has nothing but addresses and p, q and =.
func sedLooks(args []string) bool {
	script := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-n" || arg == "-E" || arg == "-nE" || arg == "-r" })
	if len(script) == 0 || len(script) == len(args) || slices.ContainsFunc(script, func(arg string) bool { return strings.HasPrefix(arg, "-") }) {
		return false
	}
	for i, part := range strings.Split(script[0], "/") { // every other one is a pattern
		if i%2 == 0 && strings.Trim(part, "0123456789,$;pq=! ") != "" {
			return false
		}
	}
	return true
}

func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789") == ""
}
