// A report to share: every text becomes its shape, which still shows how messages
// end. Letters and digits lose which they are, capitals and punctuation stay;
// files, sessions and projects get numbers.

package replay

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
)

// Redact takes out of a report what people have written in a session, and where
// the sessions lie.
func (r *Report) Redact() {
	r.Redacted = true
	own := builtIn()
	known := func(id string) string {
		if id == "" || own[id] {
			return id
		}
		return shape(id)
	}
	projects, sessions, files, names := numbers{what: "project"}, numbers{what: "session"}, numbers{what: "file"}, numbers{what: "rules"}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.File, row.Session, row.Project = files.of(row.File), sessions.of(row.Session), projects.of(row.Project)
		row.Text, row.Next, row.Skill = shape(row.Text), shape(row.Next), shape(row.Skill)
		if !isTool(row.LastTool) {
			row.LastTool = shape(row.LastTool)
		}
		if !todoState.MatchString(row.Todos) {
			row.Todos = shape(row.Todos)
		}
		for j := range row.Choices {
			c := &row.Choices[j]
			c.Evidence, c.Rule, c.Guard = shape(c.Evidence), known(c.Rule), known(c.Guard)
		}
	}
	for i := range r.Skipped {
		r.Skipped[i].File, r.Skipped[i].Why = files.of(r.Skipped[i].File), shape(r.Skipped[i].Why)
	}
	for i := range r.Scores {
		s := &r.Scores[i]
		if name := s.Name; isFile(name) {
			s.Name, s.Note = names.of(name), shape(s.Note)
			r.Advice = strings.ReplaceAll(r.Advice, name, s.Name)
		}
		for j := range s.Projects {
			if s.Projects[j].Name != Others {
				s.Projects[j].Name = projects.of(s.Projects[j].Name)
			}
		}
		for j := range s.Rules {
			s.Rules[j].Rule = known(s.Rules[j].Rule)
		}
		for j := range s.Guards {
			s.Guards[j].Name = known(s.Guards[j].Name)
		}
	}
}

// todoState is what this package itself says of a todo list.
var todoState = regexp.MustCompile(`^[0-9]+/[0-9]+ complete(, [0-9]+ (pending|in progress))*$`)

// shape is a text without its words: X for capitals, x for other letters, 0 for
// digits.
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return 'X'
		case unicode.IsLetter(r) || unicode.IsMark(r):
			return 'x'
		case unicode.IsNumber(r):
			return '0'
		case r < 0x80 && unicode.IsPrint(r) || r == '\n' || r == '\t' || r == '…' || r == '—' || r == '–' || r == '“' || r == '”' || r == '’' || r == '？' || r == '。':
			return r
		}
		return '·' // emoji and the like can name things
	}, text)
}

// numbers names things by the order in which they come.
type numbers struct {
	what string
	seen map[string]int
}

func (n *numbers) of(name string) string {
	if name == "" {
		return ""
	}
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	if n.seen[name] == 0 {
		n.seen[name] = len(n.seen) + 1
	}
	return fmt.Sprintf("%s-%d", n.what, n.seen[name])
}

// builtIn are our own rules and guards; a user's may be called anything.
func builtIn() map[string]bool {
	ids := map[string]bool{}
	for _, s := range registry.All() {
		for _, set := range append(rules.SetsOf(s), "") {
			options, ok := s.New().(rules.Ruled)
			if !ok {
				continue
			}
			options.Chosen().Set = set
			for _, rule := range options.Rules() {
				ids[rule.ID] = true
			}
		}
	}
	for _, id := range []string{"otherwise", "asks", "unsure", "hold", "plan-mode", "scheduled", "background", "subagent", "log-lags", "host-loop", "ralph-loop", "answer", "budget", "stagnation", "idle", "rounds", "unwritten", "judge"} {
		ids[id] = true
	}
	return ids
}

// isTool tells Claude Code's own tools; others are named by servers and people.
func isTool(name string) bool {
	switch name {
	case "", "Agent", "AskUserQuestion", "Bash", "BashOutput", "Edit", "EnterPlanMode", "ExitPlanMode", "Glob", "Grep", "KillShell", "LS", "Monitor",
		"MultiEdit", "NotebookEdit", "NotebookRead", "PowerShell", "Read", "Skill", "SlashCommand", "Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput",
		"TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write":
		return true
	}
	return false
}
