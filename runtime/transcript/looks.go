// Shell commands that only read, search or run tests. All other commands might change anything.

package transcript

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// onlyLooks reports whether a command line is known to change nothing.
func onlyLooks(line string) bool {
	commands, plain := splitCommands(line)
	changes := func(words []string) bool { return !wordsOnlyLook(words) }
	return plain && len(commands) > 0 && !slices.ContainsFunc(commands, changes)
}

// splitCommands splits a shell line into commands' words. plain is false if it needs a shell or sends output to a file.
func splitCommands(line string) (commands [][]string, plain bool) {
	var words []string
	var word []byte // a string would be copied for each byte of a long word
	begun := false
	endWord := func() {
		if begun {
			words = append(words, string(word))
		}
		word, begun = word[:0], false
	}
	endCommand := func() {
		if endWord(); len(words) > 0 {
			commands, words = append(commands, words), nil
		}
	}
	for line != "" {
		c := line[0]
		line = line[1:]
		switch {
		case c == '\'' || c == '"':
			text, rest, closed := strings.Cut(line, string(rune(c)))
			if !closed || c == '"' && (strings.ContainsAny(text, "`\\") || strings.Contains(text, "$(")) {
				return nil, false
			}
			word, begun, line = append(word, text...), true, rest
		case strings.IndexByte("`()<\\#\x00", c) >= 0:
			return nil, false
		case c == '>' || c == '&' && strings.HasPrefix(line, ">"):
			if len(word) < 4 && strings.Trim(string(word), "0123456789") == "" {
				word, begun = word[:0], false // the number of the stream
			}
			rest := strings.TrimLeft(line, "> ")
			ends := func(r rune) bool { return strings.ContainsRune(" \t\n;|)", r) }
			target := rest
			if i := strings.IndexFunc(rest, ends); i >= 0 {
				target = rest[:i]
			}
			if !isOneOf(target, "/dev/null &1 &2") {
				return nil, false
			}
			line = rest[len(target):]
		case strings.IndexByte(";|&\n", c) >= 0:
			endCommand()
		case c == ' ' || c == '\t':
			endWord()
		default:
			word, begun = append(word, c), true
		}
	}
	endCommand()
	return commands, true
}

// lookers lists commands that only look. The columns of a line: names between commas; words of which one must
// follow, with . if none need to, and + if no other may; flags that change something, with * for a prefix;
// the harmless flags, if all others may change something.
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

const nameLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789"

// wordsOnlyLook reports whether a command is known to only read, search or run tests.
func wordsOnlyLook(words []string) bool {
	for len(words) > 0 && words[0] != "for" {
		name, _, assigns := strings.Cut(words[0], "=")
		args := words[1:]
		if assigns && name != "" && strings.Trim(name, nameLetters) == "" || isOneOf(words[0], "{ } ! time then do else if elif while until fi done") {
			words = args
			continue
		}
		name = words[0][strings.LastIndexByte(words[0], '/')+1:]
		switch name {
		case "git":
			for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P" || args[0] == "-C" && len(args) > 1) {
				if args[0] == "-C" {
					args = args[1:]
				}
				args = args[1:]
			}
		case "sed":
			return sedOnlyLooks(args)
		case "command":
			return len(args) > 1 && (args[0] == "-v" || args[0] == "-V")
		case "env", "timeout", "xargs", "npx", "bunx":
			if name == "timeout" && len(args) > 0 || name == "xargs" && len(args) > 0 && args[0] == "-0" {
				args = args[1:]
			}
			if words = args; len(words) == 0 {
				return name == "env"
			}
			continue
		}
		if len(args) > 0 {
			if _, rest, known := strings.Cut(lookers, ","+name+"_"+args[0]+","); known {
				return argsOnlyLook(rest, args[1:])
			}
		}
		_, rest, known := strings.Cut(lookers, ","+name+",")
		return known && argsOnlyLook(rest, args)
	}
	return true
}

func isOneOf(word, spacedWords string) bool {
	return word != "" && !strings.Contains(word, " ") && strings.Contains(" "+spacedWords+" ", " "+word+" ")
}

// argsOnlyLook reports whether these arguments change nothing. row is lookers' text after the command's name.
func argsOnlyLook(row string, args []string) bool {
	line, _, _ := strings.Cut(row, "\n")
	var columns [4]string
	for i := range columns {
		columns[i], line, _ = strings.Cut(line, "|")
	}
	first := columns[1] == "" || isOneOf(".", columns[1])
	met := false
	for _, arg := range args {
		flag := strings.HasPrefix(arg, "-")
		for changes := range strings.FieldsSeq(columns[2]) {
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

// sedOnlyLooks reports whether sed only prints.
func sedOnlyLooks(args []string) bool {
	script := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return isOneOf(arg, "-n -E -nE -r") })
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "-") }
	if len(script) == 0 || len(script) == len(args) || slices.ContainsFunc(script, isFlag) {
		return false
	}
	for i, part := range strings.Split(strings.NewReplacer(`\\`, "", `\/`, "").Replace(script[0]), "/") { // every second part is a pattern
		if i%2 == 0 && strings.Trim(part, "0123456789,$;pq=! ") != "" {
			return false
		}
	}
	return true
}

// MayChange reports whether a call can change anything outside the session.
func (p *Part) MayChange() bool {
	switch p.Does {
	case WritesTodos, MakesTask, ChangesTask, ReadsTask, ListsTasks, AsksPerson, BeginsPlan, EndsPlan, SchedulesWake:
		return false
	}
	name := string(p.Name)
	if !slices.Contains(shells, name) {
		return !slices.Contains(readers, name)
	}
	input := unquoteObject(p.Input)
	return !onlyLooks(codec.ExactText(codec.InsideQuotes(codec.FindMember(input, "command", "cmd"))))
}
