// marge-simpson: what remains is written down somewhere, so it reads that. Three
// kinds of ledger, each with a reader of its own: the workflow state of the first
// design (marge_state.go), the ledger of superpowers' subagent-driven development
// (marge_sdd.go), the plan that the session works through (marge_plan.go).
//
// First the message is asked whether a person is needed: a ledger says what
// remains, the message says whose turn it is. Then the first ledger that speaks
// decides. One that is stale, or somebody else's, does not speak.

package strategy

import (
	"strconv"
	"strings"
)

// progress is what a reader found out.
type progress struct {
	// found tells that there is a ledger that speaks, or would if it could.
	found bool
	// done and total count its tasks.
	done, total int
	// where says how far it is, in words: "2 of 5 tasks complete in …".
	where string
	// next is what to do next, and how to write it down, for the model.
	next string
	// waiting is why a person is needed, "" if none is.
	waiting string
	// fault is what is wrong with it: Claude may stop.
	fault string
	// unsure is why it does not speak: it is stale, or cannot be understood.
	unsure string
}

// defaultStale is after how many minutes a ledger is stale.
const defaultStale = 30

func marge() Strategy {
	return Strategy{
		Name:    "marge-simpson",
		Stale:   defaultStale,
		Marks:   []string{WorkflowFile, sddDir},
		Reads:   margeReads,
		Mend:    func(c Config) (Config, []error) { return mendOne(c, margeSet(c)) },
		Rules:   margeRules,
		Decide:  func(c Config, s Situation) Verdict { return firstMatch(margeRules(c), s) },
		Prepare: func(c Config, kept *Kept) func(Situation) Verdict { return matching(margeRules(c), kept) },
	}
}

func margeRules(c Config) []Rule { return arranged(c, margeSet(c)) }

// reader reads one kind of ledger.
type reader struct {
	id    string
	wants func(Config, Situation) []Want
	reads func(Config, Situation) progress
}

// readers are in the order in which they speak.
func readers() []reader {
	return []reader{
		{"state", workflowWants, workflowReads},
		{"sdd", sddWants, sddReads},
		{"plan", planWants, planReads},
	}
}

func margeReads(c Config, s Situation) []Want {
	var all []Want
	for _, r := range readers() {
		all = append(all, r.wants(c, s)...)
	}
	return all
}

// margeSet asks for the person, then every ledger.
func margeSet(c Config) []Rule {
	set := append(personRules(), Rule{ID: "answers", Then: Stop, own: onlyAnswers})
	// Each ledger is read once, when the first of its rules is asked.
	all := make([]*progress, len(readers()))
	for i, r := range readers() {
		read := func(s Situation) progress {
			if all[i] == nil {
				p := r.reads(c, s)
				all[i] = &p
			}
			return *all[i]
		}
		set = append(set,
			Rule{ID: r.id + "-waiting", Then: Stop, Sure: 99, own: func(s Situation) (string, string, bool) {
				p := read(s)
				return p.waiting, "", p.waiting != ""
			}},
			Rule{ID: r.id + "-fault", Then: Stop, Sure: 50, own: func(s Situation) (string, string, bool) {
				p := read(s)
				return p.fault, "", p.fault != ""
			}},
			Rule{ID: r.id + "-done", Then: Stop, own: func(s Situation) (string, string, bool) {
				p := read(s)
				return p.where, "", p.speaks() && p.done == p.total
			}},
			Rule{ID: r.id, Then: Continue, own: func(s Situation) (string, string, bool) {
				p := read(s)
				return p.where, p.next + remaining(s.Todos.List), p.speaks() && p.done < p.total
			}},
		)
	}
	return append(set, Rule{ID: "unsure", Then: Stop, Sure: 50, own: func(s Situation) (string, string, bool) {
		for i, r := range readers() {
			if all[i] == nil {
				p := r.reads(c, s)
				all[i] = &p
			}
			if all[i].unsure != "" {
				return all[i].unsure, "", true
			}
		}
		return "no ledger is there", "", false
	}})
}

func (p progress) speaks() bool {
	return p.found && p.waiting == "" && p.fault == "" && p.unsure == ""
}

// stale says that a ledger is too old to rely on, "" if it is not.
func (c Config) stale(name string, age int64) string {
	minutes := c.Stale
	if minutes == 0 {
		minutes = defaultStale
	}
	if age <= int64(minutes)*60_000 {
		return ""
	}
	return shown(name) + " says nothing any more: nobody has touched it for " + strconv.FormatInt(age/60_000, 10) + " min, and " + strconv.Itoa(minutes) + " is the limit"
}

// onlyAnswers tests whether the person has asked something and Claude has only
// looked: what it says then is the answer, whatever remains elsewhere.
func onlyAnswers(s Situation) (evidence, reason string, ok bool) {
	if !isQuestion(s.Turn.Prompt) {
		return "the prompt asks nothing", "", false
	}
	for _, call := range s.Turn.Calls {
		if !onlyLooks(call.Name) {
			return "Claude has done more than look: " + call.Name, "", false
		}
	}
	return "you asked " + quote(s.Turn.Prompt) + ", and this is the answer", "", true
}

// isQuestion tells whether a prompt wants to know something rather than to have
// it done.
func isQuestion(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	if prompt == "" || opens(prompt, []string{"can you", "could you", "would you", "will you", "please"}) {
		return false
	}
	return closes(prompt, "?？") || opens(prompt, []string{
		"what", "which", "why", "how", "where", "when", "who", "is", "are", "does", "did", "was", "were", "has", "have",
		"explain", "describe", "show me", "tell me", "list", "summarize", "summarise",
	})
}

// onlyLooks tells whether a tool changes nothing.
func onlyLooks(tool string) bool {
	switch tool {
	case "Read", "Grep", "Glob", "LS", "NotebookRead", "WebFetch", "WebSearch", "ToolSearch", "TaskList", "TaskGet", "TodoRead", "AskUserQuestion":
		return true
	}
	return false
}

// isGoOn tells whether a prompt only says to go on with what was.
func isGoOn(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	return len(prompt) <= 60 && opens(prompt, []string{
		"continue", "go on", "go ahead", "keep going", "carry on", "proceed", "resume", "next", "yes", "ok", "okay", "do it", "sounds good",
	})
}

// relative is a name in the workspace for a path that somebody wrote, "" if it
// lies elsewhere.
func relative(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
	if rest, ok := strings.CutPrefix(name, dir+"/"); ok && dir != "" {
		name = rest
	}
	name = strings.TrimPrefix(name, "./")
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, "~") || len(name) > 1 && name[1] == ':' {
		return ""
	}
	return name
}

// shown is a name as it can be shown: on one line, without control characters,
// not too long.
func shown(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(quoteUpTo(name, 200), "“"), "”")
	return name
}

// at names a line of a file, or the file if no line is known.
func at(name string, line int) string {
	if line == 0 {
		return shown(name)
	}
	return shown(name) + ", line " + strconv.Itoa(line)
}
