// Commands of a shell that only look: they read, search, or run tests. A command that is not known
// can change anything.

package transcript

import (
	"slices"
	"strings"
)

// onlyLooks reports whether all that a command line starts changes nothing.
func onlyLooks(line string) bool { return strings.TrimSpace(line) != "" && commandsLook(line, 0) }

func commandsLook(line string, depth int) bool {
	r := shellLine{rest: line, depth: depth}
	return r.looks(0)
}

// shellLine goes through a command line as a shell does.
type shellLine struct {
	rest  string
	words []string // of the command at hand
	word  []byte   // the newest of them
	begun bool     // there is one, which may be empty
	depth int      // of commands inside others
}

// maxInside is how deep one command may be inside another.
const maxInside = 8

// looks reads commands up to a character that ends them, 0 for the end of the line.
func (r *shellLine) looks(end byte) bool {
	quoted := false
	for r.depth <= maxInside && r.rest != "" {
		c := r.rest[0]
		r.rest = r.rest[1:]
		switch {
		case c == end && end != 0 && !quoted:
			return r.endCommand()
		case c == '"':
			quoted, r.begun = !quoted, true
		case c == '\\' && r.rest != "":
			r.add(r.rest[:1])
			r.rest = r.rest[1:]
		case c == '`', (c == '$' || c == '<' && !quoted) && strings.HasPrefix(r.rest, "("):
			if !r.inside(c) {
				return false
			}
			r.add("$")
		case quoted:
			r.add(string([]byte{c}))
		case !r.passUnquoted(c):
			return false
		}
	}
	return end == 0 && r.rest == "" && !quoted && r.endCommand()
}

// passUnquoted passes a character that no quotes are around. False: what follows may change something.
func (r *shellLine) passUnquoted(c byte) bool {
	switch {
	case c == '\'':
		text, rest, closed := strings.Cut(r.rest, "'")
		r.add(text)
		r.rest = rest
		return closed
	case c == '>' || c == '&' && strings.HasPrefix(r.rest, ">"):
		if strings.Trim(string(r.word), "0123456789") == "" {
			r.word, r.begun = nil, false // the number of the stream
		}
		return r.skipHarmlessTarget()
	case strings.IndexByte(";|&\n", c) >= 0:
		return r.endCommand()
	case c == '(' && !r.begun && len(r.words) == 0:
		return r.inside(c)
	case c == '(', c == ')', c == '<' && strings.HasPrefix(r.rest, "<"):
		return false // a function, or a text that follows
	case strings.IndexByte(" \t<", c) >= 0:
		r.endWord()
	case c == '#' && !r.begun:
		r.rest = strings.TrimLeftFunc(r.rest, func(c rune) bool { return c != '\n' })
	default:
		r.add(string([]byte{c}))
	}
	return true
}

func (r *shellLine) add(text string) { r.word, r.begun = append(r.word, text...), true }

func (r *shellLine) endWord() {
	if r.begun {
		r.words = append(r.words, string(r.word))
	}
	r.word, r.begun = nil, false
}

func (r *shellLine) endCommand() bool {
	r.endWord()
	words := r.words
	r.words = nil
	return commandLooks(words, r.depth)
}

// inside reads the commands that a character begins: in a substitution, or in parentheses.
func (r *shellLine) inside(begin byte) bool {
	inner, end := shellLine{rest: r.rest, depth: r.depth + 1}, byte(')')
	switch begin {
	case '`':
		end = begin
	case '$', '<':
		inner.rest = r.rest[1:]
	}
	ok := inner.looks(end)
	r.rest = inner.rest
	return ok
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

// lookers are commands that only look, a line each: their names between commas; the words of which
// one has to follow, with . where none need to, and + where no other may; flags that change
// something, with * for their beginning; the flags that change nothing, where others may.
const lookers = `,cat,head,tail,ls,pwd,cd,grep,egrep,fgrep,zgrep,ag,wc,which,type,echo,printf,jq,du,df,stat,file,diff,cmp,cut,tr,nl,less,more,||
,basename,dirname,realpath,readlink,whoami,id,uname,printenv,true,false,test,[,[[,sleep,ps,free,uptime,column,fold,rev,paste,comm,||
,md5sum,sha1sum,sha256sum,od,hexdump,strings,nproc,seq,exit,return,break,continue,shellcheck,mypy,pyright,flake8,man,||
,rg,||--pre*
,tree,||-o
,date,||-s --set
,find,||-delete -exec* -ok* -fprint* -fls
,fd,fdfind,||-x -X --exec*
,uniq,|.||-c -d -u -i
,sort,|||-u -r -n -rn -nr -h -hr -rh -k -k1 -k2 -k3 -t -V -f -s
,git_log,git_status,git_diff,git_show,git_blame,git_shortlog,git_rev-parse,git_rev-list,git_ls-files,git_ls-tree,git_ls-remote,||--output*
,git_describe,git_cat-file,git_grep,git_name-rev,git_merge-base,git_for-each-ref,git_show-ref,git_check-ignore,git_version,||--open* -O*
,git_branch,|.||-a -r -v -vv -av -avv -rv --all --remotes --list --show-current --merged --no-merged
,git_remote,|. show get-url|
,git_tag,|.||-l --list -n
,git_stash,git_worktree,git_submodule,git_reflog,|list show status|
,git_config,|get list|
,docker,podman,|ps images logs inspect version info|
,kubectl,|get describe logs top version|
,systemctl,|status is-active list-units|
,gh_pr,gh_issue,gh_run,gh_repo,gh_release,gh_workflow,|view list diff checks status watch|
,go,|test vet list version env doc|-update --update -w -u -o -c -exec -toolexec -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -fix
,npm_run,pnpm_run,yarn_run,bun_run,|test test:unit test:e2e test:ci|-u --update --fix --write
,npm,pnpm,yarn,bun,|test t ls list view outdated why|-u --update --fix --write
,cargo,|test check tree metadata nextest|--fix
,make,just,rake,gradle,gradlew,mvn,mvnw,dotnet,mix,swift,deno,composer,|+ test check tests|-u --update -f
,pytest,tox,nox,jest,vitest,mocha,rspec,phpunit,ctest,eslint,||-u --update* --fix* --snapshot-update -w --write -o --output --inline-snapshot --force-regen
,python_-m,python3_-m,|pytest unittest|--snapshot-update --inline-snapshot --force-regen
,ruff,golangci-lint,|check run|--fix
,tsc,|||--noEmit`

// commandLooks reports whether one command changes nothing.
func commandLooks(words []string, depth int) bool {
	for len(words) > 0 && (isOneOf(words[0], "{ } ! time then do else if elif while until fi done") || isAssignment(words[0])) {
		words = words[1:]
	}
	if len(words) == 0 || words[0] == "for" {
		return true
	}
	name, args := words[0][strings.LastIndexByte(words[0], '/')+1:], words[1:]
	switch name {
	case "git":
		for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P" || args[0] == "-C" && len(args) > 1) {
			if args[0] == "-C" {
				args = args[1:]
			}
			args = args[1:]
		}
	case "sed":
		return sedLooks(args)
	case "command":
		return len(args) > 1 && (args[0] == "-v" || args[0] == "-V")
	case "env", "timeout", "xargs", "npx", "bunx":
		if name == "timeout" && len(args) > 0 || name == "xargs" && len(args) > 0 && args[0] == "-0" {
			args = args[1:]
		}
		if len(args) == 0 {
			return name == "env"
		}
		return depth < maxInside && commandLooks(args, depth+1)
	case "bash", "sh", "zsh":
		return len(args) == 2 && (args[0] == "-c" || args[0] == "-lc") && commandsLook(args[1], depth+1)
	}
	if len(args) > 0 {
		if _, behind, known := strings.Cut(lookers, ","+name+"_"+args[0]+","); known {
			return argumentsLook(behind, args[1:])
		}
	}
	_, behind, known := strings.Cut(lookers, ","+name+",")
	return known && argumentsLook(behind, args)
}

// isOneOf reports whether a word is in a list, with blanks between its words.
func isOneOf(word, list string) bool {
	for {
		at := strings.Index(list, word)
		if at < 0 || word == "" {
			return false
		}
		rest := list[at+len(word):]
		if (at == 0 || list[at-1] == ' ') && (rest == "" || rest[0] == ' ') {
			return true
		}
		list = rest
	}
}

// argumentsLook reports whether a command changes nothing with some arguments, by its line in
// lookers behind its name.
func argumentsLook(behind string, args []string) bool {
	line, _, _ := strings.Cut(behind, "\n")
	columns := strings.Split(line+"|||", "|")
	first := columns[1] == "" || isOneOf(".", columns[1])
	met := false
	for _, arg := range args {
		flag := strings.HasPrefix(arg, "-")
		for _, changes := range strings.Fields(columns[2]) {
			begin, all := strings.CutSuffix(changes, "*")
			if arg == begin || strings.HasPrefix(arg, begin+"=") || all && strings.HasPrefix(arg, begin) {
				return false
			}
		}
		switch {
		case flag && columns[3] != "" && !isOneOf(arg, columns[3]):
			return false
		case !flag && columns[1] != "" && (!met || columns[1][0] == '+'):
			if met, first = true, isOneOf(arg, columns[1]); !first {
				return false
			}
		}
	}
	return first && (!strings.HasSuffix(columns[3], "--noEmit") || len(args) > 0)
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
