package backend

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/cameronsjo/springfield/runtime/judge"
)

// askCommand runs q.Command with the system prompt and the page on standard input. The last line of output is the
// answer.
func askCommand(ctx context.Context, q judge.Question, e Env) judge.Reply {
	if len(q.Command) == 0 || !filepath.IsAbs(q.Command[0]) {
		return failedReply(judge.Refused, "judge.command does not begin with an absolute path")
	}
	if !isProgram(q.Command[0]) {
		return failedReply(judge.NoClient, "there is no program at "+q.Command[0])
	}
	vars := e.pickVars(e.searchPath(e.projectNotAboveHome(q)), func(name string) bool {
		return slices.ContainsFunc(q.Named, func(named string) bool { return sameName(named, name) })
	})
	return e.run(ctx, q.Command, vars, q.System+"\n"+q.Page, func(printed []byte) (judge.Reply, bool) {
		printed = bytes.TrimSpace(printed)
		return takeAnswer(judge.Reply{}, printed[bytes.LastIndexByte(printed, '\n')+1:]), false
	})
}
