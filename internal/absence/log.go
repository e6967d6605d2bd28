package absence

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// heading is the heading under which the agent was told to write its decisions.
const heading = "Decided while you were away"

type moment struct {
	at   int64
	text string
}

type sessionLog struct {
	asked       string // the first prompt
	began, last int64  // the first line and the last
	prompted    int64  // the last prompt
	pushed      int64  // the last turn that no prompt began, or the last local command
	spoke       int64  // the agent's last words or failure
	mode        string // permission mode
	version     string // of the host
	doing       string // the last call, while it runs
	turn        bool   // the agent is at work
	failure     string // that ended the last turn
	words       string // the agent's last
	changed     int64  // the last call that may have changed a file
	asks        *need  // in words, nil if not yet sought
	background  bool   // work of this turn that will wake the agent
	at          int64  // of the line, or of one before it
	since       int64  // the start of the report

	// These begin at the start of the report.
	first    int64
	calls    int
	failures []moment
	decided  []moment // the agent's words about its decisions
	refused  []string // calls that the host refused for want of a permission

	open map[string]string // calls without a result, by ID
}

// Bounds of texts in bytes, because a line has up to 1 MiB: of the agent's last words, whose end has the need, and of
// all other texts, which are only shown.
const (
	mostWords = 64 << 10
	mostSaid  = 4 << 10
)

const mostKept = 200

type need struct {
	rules.Need
	found bool
}

// needOfWords searches the agent's last words, masked first.
func (l *sessionLog) needOfWords() (rules.Need, bool) {
	if l.asks == nil {
		l.words, l.asks = secret.Mask(l.words), &need{}
		l.asks.Need, l.asks.found = rules.FindNeed(strategy.Situation{Message: strategy.Message{Text: l.words, FromEvent: true}})
	}
	return l.asks.Need, l.asks.found
}

func (l *sessionLog) takeCurrent(c *transcript.Cursor) (goOn bool) {
	if t := c.LineTime(); t > 0 {
		l.at = t
	}
	if l.began == 0 {
		l.began = l.at
	}
	l.last = max(l.last, l.at)
	if l.first == 0 && l.at >= l.since {
		l.first = l.at
	}
	l.takeLine(c, l.at, l.at >= l.since)
	l.mode, l.version = c.Log.Mode, c.Log.Version
	l.background = len(c.Log.Started) > 0 || c.Log.Wakes
	return true
}

func (l *sessionLog) takeLine(c *transcript.Cursor, atMillis int64, inReport bool) {
	switch c.What {
	case transcript.Prompted, transcript.Joined:
		if c.Entry.Local { // it begins no turn by itself
			if !l.turn {
				l.pushed = atMillis
			}
			break
		}
		if !c.Entry.Command {
			l.asked, l.prompted = cmp.Or(l.asked, quotation.Head(c.WordsToAgent(), mostSaid)), atMillis
		}
		l.turn, l.doing, l.failure = true, "", ""
	case transcript.Pushed, transcript.Woken, transcript.Driven:
		l.turn, l.failure, l.pushed = true, "", atMillis
	case transcript.Spoke, transcript.Called:
		text := quotation.Tail(c.AgentWords(), mostWords)
		if strings.TrimSpace(text) != "" {
			l.words, l.spoke, l.failure, l.asks = text, atMillis, "", nil
		}
		if _, decision, ok := strings.Cut(text, heading); ok && inReport && len(l.decided) < mostKept {
			l.decided = append(l.decided, moment{atMillis, firstSentence(quotation.Head(decision, mostSaid))})
		}
		l.turn = l.turn && c.What == transcript.Called
		l.takeCalls(c, inReport)
	case transcript.Returned:
		l.doing = ""
		l.noteRefused(c, inReport)
	case transcript.Failed:
		failure := quotation.Head(c.AgentWords(), mostSaid)
		if inReport && len(l.failures) < mostKept {
			l.failures = append(l.failures, moment{atMillis, failure})
		}
		l.turn, l.doing, l.failure, l.spoke = false, "", failure, atMillis
	case transcript.Interrupted, transcript.Rested:
		l.turn, l.doing = false, ""
	}
}

// marks matches the end of a heading, the marks of lists, and emphasis.
var marks = regexp.MustCompile("(?m)\\A[”\"*_:.— ]+|^[\\s*#>•-]*(\\d+[.)] )?|\\*\\*|__|`")

func firstSentence(text string) (first string) {
	for _, s := range rules.Sentences(marks.ReplaceAllString(text, "")) {
		if first += strings.TrimSpace(s); !strings.HasSuffix(first, ":") {
			break
		}
		first += " "
	}
	return first
}

func (l *sessionLog) takeCalls(c *transcript.Cursor, inReport bool) {
	for _, p := range c.Entry.Parts {
		if p.Kind != transcript.Call {
			continue
		}
		l.turn, l.doing = true, codec.ValidText(p.Name)
		if p.MayChange() {
			l.changed = l.at
		}
		if l.open == nil || len(l.open) >= mostKept {
			l.open = map[string]string{}
		}
		input := p.Input
		codec.Elements(codec.FindMember(p.Input, "questions"), func(q []byte) { input = q }) // of a dialog
		for _, name := range []string{"command", "file_path", "pattern", "description", "plan", "question"} {
			if about := codec.InsideQuotes(codec.FindMember(input, name)); about != nil {
				l.doing += " " + codec.ValidText(about)
				break
			}
		}
		l.doing = quotation.Head(l.doing, mostSaid)
		l.open[string(p.ID)] = l.doing
		if inReport {
			l.calls++
		}
	}
}

// noteRefused notes calls the host refused, and removes calls with a result from l.open.
func (l *sessionLog) noteRefused(c *transcript.Cursor, inReport bool) {
	for _, p := range c.Entry.Parts {
		if p.Kind != transcript.Result {
			continue
		}
		call, known := l.open[string(p.ID)]
		delete(l.open, string(p.ID))
		byOrder := strings.Contains(codec.ValidText(p.Text), activity.AwayDenial)
		if known && inReport && p.Denied && !byOrder && len(l.refused) < mostKept {
			l.refused = append(l.refused, call)
		}
	}
}
