// The answer to an event, in the form that the host reads.

package hook

import (
	"io"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/secret"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/transcript"
)

// said is the JSON that the host reads. It is empty if the agent may stop and the user needs no message.
type said struct {
	decision, reason, systemMessage string // "block" or ""; to the model; to the user
	// event is the event of the other members.
	event, context    string
	behavior, message string // of a denied permission
}

func (o *said) Members(m *codec.Coder) {
	m.Text("decision", &o.decision)
	m.Text("reason", &o.reason)
	m.Text("systemMessage", &o.systemMessage)
	if o.event != "" {
		m.Object("hookSpecificOutput", (*saidOfEvent)(o))
	}
}

type saidOfEvent said

func (o *saidOfEvent) Members(m *codec.Coder) {
	m.Text("hookEventName", &o.event)
	m.Text("additionalContext", &o.context)
	if o.behavior != "" {
		m.Object("decision", (*denial)(o))
	}
}

type denial said

func (o *denial) Members(m *codec.Coder) {
	m.Text("behavior", &o.behavior)
	m.Text("message", &o.message)
}

// maxContext is the length in bytes above which Claude Code cuts additionalContext.
const maxContext = 10_000

// answerHost prints an answer, records its fault, and returns the exit status.
func (s *start) answerHost(a answer, settings Settings) (code int) {
	alert := "" // to the user, about a decision that is not recorded
	if a.fault != nil {
		alert = s.recordUndecided(*a.fault)
	}
	// The client shows both on a terminal, and a model also reads invisible characters.
	a.Told, a.Reason = display.DropInvisible(a.Told), display.DropInvisible(a.Reason)
	for _, line := range a.Notes {
		s.sayToStderr(line)
	}
	var err error
	o, h := said{systemMessage: strings.Trim(alert+"\n"+a.Told, "\n")}, s.event.Host
	// Some strategies block even where Claude Code knows the quieter form.
	byBlock := settings.Protocol == "block" || settings.Protocol != "context" && settings.Strategy.Blocks
	exit2 := settings.Protocol == "exit2" && s.eventName == "Stop" && h.Context != nil
	switch {
	case exit2 && a.Decision == strategy.Continue:
		// Without standard output Claude Code mistakes these words for the error of a shell that did not find the hook.
		if says := strings.ToLower(a.Reason); strings.Contains(says, "no such file") || strings.Contains(says, "can't open") {
			io.WriteString(s.Stdout, "{}\n")
		}
		_, err = io.WriteString(s.Stderr, a.Reason+"\n")
		code, o = 2, said{}
	case exit2 && !settings.Strategy.Judges: // but a judge that does not answer is reported
		o.systemMessage = alert
	case exit2:
	case a.Decision == strategy.Continue && (!a.context || byBlock || len(a.Reason) > maxContext):
		o.decision, o.reason = "block", a.Reason
		if h.Marked {
			o.reason = transcript.Mark + a.Reason
		}
	case a.Decision == strategy.Remind && !h.Reminds:
	case a.Decision == strategy.Continue, a.Decision == strategy.Remind:
		o.event, o.context = s.eventName, defuseSystemTags(a.Reason)
	}
	if err == nil {
		err = s.printAnswer(o)
	}
	if a.fault == nil && err != nil {
		s.noteForDebug("write answer: " + err.Error())
		s.answered = true
		s.recordUndecided(fault{faultAnswer, newFailure("the answer could not be passed to "+h.Title, err)})
	}
	by := " by rule " + a.Rule
	if a.Rule == strategy.Unmatched {
		by = ""
	}
	s.noteForDebug(settings.Plugin + ": " + string(a.Decision) + by + ": " + a.Evidence)
	return code
}

// defuseSystemTags replaces the < in tags like </system-reminder>.
func defuseSystemTags(text string) string {
	var b strings.Builder
	for i, r := range text {
		if rest := strings.TrimLeft(text[i:min(len(text), i+40)], "</ \n\t"); r == '<' && len(rest) >= 6 && strings.EqualFold(rest[:6], "system") {
			r = '‹'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// printAnswer writes o as a JSON line, unless empty. It masks secrets only in the message to the user. It sets
// s.answered.
func (s *start) printAnswer(o said) error {
	if o == (said{}) {
		return nil
	}
	s.answered = true
	o.systemMessage = secret.Mask(o.systemMessage)
	_, err := s.Stdout.Write(append(codec.Append(nil, &o), '\n'))
	return err
}
