// Package language has phrases of agents and users in each language, and finds them in sentences.
//
// Each language has a data file, its pack, with phrases below the names of their classes. The code has no
// phrases. The package is pure.
//
// The classes in a message determine its acts (lastmessage.Act), and these the first of rules.BaseRules to hold:
//
//	class                  act        rule       decision
//	leave, ready           leave      leave      continue, if the user has permitted it
//	ask                    asks       asks       stop; not if an answer follows a question
//	offer, wait, blocked,  offers …   the same   stop; not in a sentence of start
//	hand, plan
//	start                  starts     intent     continue, in the last sentence
//	move                   moves      progress   continue, in the last sentence
//	announce, start        announces  intent     continue, in the last two sentences; not after a bid
//	finished               finishes   finished   stop; reported, while todos are pending
//
// A sentence with later, or with you and without mine, announces no work. common identifies the language, and
// link may precede an entry; now, do, doing, finite and break are parts of other entries.
package language

import "strings"

type Class byte

const (
	Common   Class = iota // frequent words that identify the language
	Ask                   // asks the user, question mark or not
	Offer                 // offers unrequested work
	Wait                  // waits for a job, a review, an agent
	Blocked               // cannot go on
	Hand                  // asks the user to do something
	Plan                  // presents a plan for approval
	Later                 // conditional, later or habitual
	Mine                  // part of the task: "you asked for", "on my list"
	Start                 // begins an action at once
	Move                  // goes on to the next step
	Announce              // announces the current action
	Bid                   // may ask the reader to do something, if an announcement follows
	Finished              // all is done
	Answer                // begins the answer to a question just asked
	Link                  // words to skip before an entry
	Now                   // next, now, first
	Do                    // verbs of work, as an order or infinitive
	Doing                 // verbs of work, as done by the speaker
	Finite                // verbs of statements
	You                   // the reader
	Step                  // parts of a plan
	Break                 // words that end the range of "!…x"
	Did                   // verbs of work, as done before
	Leave                 // asks permission to go on with agreed work, in a question
	Ready                 // the same without a question: "ready for phase 3 when you are"
	May                   // words that ask permission
	GoOn                  // verbs of going on, after such words
	Seek                  // verbs of looking at something and of testing, as announced
	Rest                  // announces a pause, which is a wait and no work: "i'll stop here"

	// Classes for prompts, see package lastprompt. A clause is compared without signs and soft words at its ends.
	Forbid   // stop, wait, not yet
	Bar      // forbids some work, and all of it if nothing is ordered: "don't push yet"
	Look     // an order to only look, which forbids unless it asks something
	Halt     // words that stop work, alone or with those of while: "stop", "hold on"
	While    // "here", "for now", "a second"
	Not      // negations before a verb
	Resume   // verbs of going on
	Touch    // verbs of working on something
	Any      // "anything", "any code"
	Need     // "let me", "i want to"
	Think    // things the user does before work goes on
	Bother   // verbs of asking and interrupting
	All      // "everything", "all tests"
	Request  // a question that orders, or a nudge: "should we just", "are you done"
	Could    // makes an order a question or wish: "can you", "i want you to"
	Inquire  // a question without a question mark, or an order to explain: "why", "status"
	Tell     // verbs that request information
	How      // not an order: "how to"
	Standing // an order to go on without asking
	Consult  // an order to ask first
	Yes      // if nothing else, this is a yes or "continue"
	Command  // a clause that orders work
	Act      // verbs of work in orders
	And      // words between two clauses, or two words
	Then     // words between two clauses
	But      // an objection may follow
	Fault    // reports a failure: "error", "is missing"
	Soft     // ignored at the ends of a clause: "please", "ok"
	Hold     // a clause that holds something back, beside orders: "don't run it", "i merge it myself"
	Limit    // a clause that holds back all that is not ordered: "nothing else"
	Filler   // words without a subject, besides those of common: "before", "only"
	classes
)

var ClassNames = [classes]string{
	"common", "ask", "offer", "wait", "blocked", "hand", "plan", "later", "mine", "start", "move", "announce", "bid", "finished",
	"answer", "link", "now", "do", "doing", "finite", "you", "step", "break", "did",
	"leave", "ready", "may", "goon", "seek", "rest",
	"forbid", "bar", "look", "halt", "while", "not", "resume", "touch", "any", "need", "think", "bother", "all", "request", "could", "inquire", "tell", "how", "standing", "consult", "yes", "command", "act", "and", "then", "but", "fault", "soft", "hold", "limit", "filler",
}

var named = func() map[string]Class {
	all := make(map[string]Class, classes)
	for c, name := range ClassNames {
		all[name] = Class(c)
	}
	return all
}()

// Pack contains the phrases of a language.
type Pack struct {
	Code string // as in BCP 47
	Name string // in English
	text [classes]string
}

// SplitPack parses a pack: the language's name, then classes, each begun by a line in brackets. A line with # is a
// comment.
func SplitPack(code, data string) *Pack {
	p := &Pack{Code: code}
	p.Name, data, _ = strings.Cut(data, "\n")
	p.Name = strings.TrimPrefix(p.Name, "# ")
	class, start := classes, 0
	for at := 0; at < len(data); {
		line, _, _ := strings.Cut(data[at:], "\n")
		if name, ok := strings.CutPrefix(line, "["); ok {
			if c, ok := named[strings.TrimSuffix(name, "]")]; ok {
				if class < classes {
					p.text[class] = data[start:at]
				}
				class, start = c, min(at+len(line)+1, len(data))
			}
		}
		at += len(line) + 1
	}
	if class < classes {
		p.text[class] = data[start:]
	}
	return p
}
