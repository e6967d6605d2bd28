package activity

import (
	"cmp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/quotation"
)

// Check is a command that proves the work done. The agent runs it.
type Check struct {
	Command string
	Project string // the directory where it counts, "" for any
}

// AwayDenial begins the result of a call that an away order denied.
const AwayDenial = "The user is away"

// MaxCheck is the maximum length of a check in bytes, because the reader of a log keeps no more of a call.
const MaxCheck = 120

// AllowRule returns the permission rule that allows exactly this check ("" if none can).
func AllowRule(check string) string {
	if check == "" || strings.ContainsAny(check, `()*:\`) {
		return ""
	}
	return "Bash(" + check + ")"
}

// AllowHintFor returns a clause like "it needs Bash(make test) in permissions.allow, and no rule or hook against it".
func AllowHintFor(check string) string {
	return "it needs " + cmp.Or(AllowRule(check), "a rule for it") + " in permissions.allow, and no rule or hook against it"
}

// LastShell returns the last shell command and whether it is a finished run of the check. It returns none if a
// non-shell tool may have changed files since. shellDir is the agent's shell directory ("" if unknown). Callers resolve
// symlinks in it and k.Project.
func (k Check) LastShell(calls []Call, shellDir string) (shell Call, checked bool) {
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if c.Command == "" && c.Writes {
			break
		}
		if c.Command != "" {
			return c, k.is(c, shellDir) && c.Done && !c.Open && !wasDenied(c)
		}
	}
	return Call{}, false
}

// LastIsDenied reports whether the check's last call was denied.
func (k Check) LastIsDenied(calls []Call, shellDir string) bool {
	for i := len(calls) - 1; i >= 0; i-- {
		if k.is(calls[i], shellDir) {
			return wasDenied(calls[i])
		}
	}
	return false
}

func wasDenied(c Call) (didNotRun bool) {
	return c.Denied || c.Error && strings.Contains(c.Result, AwayDenial)
}

func (k Check) is(c Call, dir string) bool {
	command, isThere := c.Command, k.Project == "" || dir == k.Project
	for _, place := range []string{k.Project, "'" + k.Project + "'", `"` + k.Project + `"`, quotation.ShellWord(k.Project)} {
		if rest, ok := strings.CutPrefix(command, "cd "+place+" && "); ok && k.Project != "" && command != k.Command {
			command, isThere = rest, true
		}
	}
	return isThere && command == k.Command
}

// Demand returns the instruction to run the check, ending with the indented command. If failed, the agent must first
// fix the cause.
func (k Check) Demand(failed bool, shellDir string) string {
	in, command := ".", k.Command
	if k.Project != "" {
		in = " in " + k.Project + "."
		if shellDir != k.Project {
			command = "cd " + quotation.ShellWord(k.Project) + " && " + k.Command
		}
	}
	if failed {
		return "The check has failed. Mend what is wrong, and run exactly this command again" + in + "\n\n    " + command
	}
	return "Before you say that it is done, run exactly this command, alone, with your Bash or shell tool" + in + " Change nothing after it:\n\n    " + command
}
