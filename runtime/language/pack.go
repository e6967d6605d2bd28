// Package language holds what agents say in each language, and finds it in their
// sentences.
//
// A language is one file of data, a pack: phrases below their classes. The code knows classes
// and no words. The package is pure, and bounded by the length of what it is given.
//
// By its classes a message is found to do something (lastmessage.Act), and by that a rule
// decides, in the order of rules.BaseRules:
//
//	class                  act        rule       decision
//	leave, ready           leave      leave      continue, if the user's last word gives leave
//	ask                    asks       asks       stop; not if an answer follows a question
//	offer, wait, blocked,  offers …   the same   stop; not in a sentence of start
//	hand, plan
//	start                  starts     intent     continue, in the last sentence
//	move                   moves      progress   continue, in the last sentence
//	announce, start        announces  intent     continue, in the last two sentences; not behind a bid
//	finished               finishes   finished   stop; reported, while todos are pending
//
// A sentence of later, or of you and not of mine, takes no work on. Common tells the language,
// link may stand before an entry; now, do, doing, finite and break are for other entries.
package language

import "strings"

// Class is what a phrase of a pack says.
type Class byte

const (
	Common   Class = iota // words by which the language is told
	Ask                   // asks the user, question mark or not
	Offer                 // offers what has not been asked for
	Wait                  // waits for a job, a review, an agent
	Blocked               // cannot go on
	Hand                  // tells the user to do something
	Plan                  // shows what it would do, for approval
	Later                 // not now, but if, when or as a habit
	Mine                  // the task has it: "you asked for", "on my list"
	Start                 // begins an action at once; the rest of the sentence is about the work
	Move                  // goes on to the next step
	Announce              // says what it does now
	Bid                   // may tell the reader to do something, if an announcement follows
	Finished              // all is done
	Answer                // begins the answer to a question just asked
	Link                  // words to skip before an entry
	Now                   // next, now, first
	Do                    // verbs of work, as an order or infinitive
	Doing                 // verbs of work, as what the speaker does
	Finite                // verbs by which a sentence states something
	You                   // the reader
	Step                  // what plans consist of
	Break                 // words that end what a verb is looked for in, see match.go
	Did                   // verbs of work, as what has been done
	Leave                 // asks leave to go on with work already agreed, in a question
	Ready                 // the same without a question: "ready for phase 3 when you are"
	May                   // words that ask leave
	GoOn                  // verbs of going on, behind such words

	// Of the user's prompts, see package lastword. Signs at its ends and soft words are cut off a
	// clause before it is looked at.
	Forbid   // stop, wait, not yet
	Look     // an order to change nothing, which forbids, unless there is something to tell
	Halt     // words that stop work, alone or with those of while: "stop", "hold on"
	While    // "here", "for now", "a second"
	Not      // negations in front of a verb
	Resume   // verbs of going on
	Touch    // verbs of working on something
	Any      // "anything", "any code"
	Need     // "let me", "i want to"
	Think    // what the user does before work goes on
	Bother   // verbs of asking and interrupting
	All      // "everything", "all tests"
	Request  // a question that orders, or a nudge: "should we just", "are you done"
	Could    // what makes a question or a wish of an order: "can you", "i want you to"
	Inquire  // a question with no question mark, or an order to explain: "why", "status"
	Tell     // verbs that order to tell something
	How      // not an order: "how to"
	Standing // an order to go on without asking
	Consult  // an order to ask first
	Yes      // if nothing else, this is a yes or "continue"
	Command  // a clause that orders work
	Act      // verbs of work as they stand in orders
	And      // words between two clauses, or two words
	Then     // words between two clauses
	But      // the next words might take this back
	Fault    // to report a failure: "error", "is missing"
	Soft     // words to ignore around a clause: "please", "ok"
	classes
)

// ClassNames are the headings of a pack's classes.
var ClassNames = [classes]string{
	"common", "ask", "offer", "wait", "blocked", "hand", "plan", "later", "mine", "start", "move", "announce", "bid", "finished",
	"answer", "link", "now", "do", "doing", "finite", "you", "step", "break", "did",
	"leave", "ready", "may", "goon",
	"forbid", "look", "halt", "while", "not", "resume", "touch", "any", "need", "think", "bother", "all", "request", "could", "inquire", "tell", "how", "standing", "consult", "yes", "command", "act", "and", "then", "but", "fault", "soft",
}

var named = func() map[string]Class {
	all := make(map[string]Class, classes)
	for c, name := range ClassNames {
		all[name] = Class(c)
	}
	return all
}()

// Pack is all we know about a language.
type Pack struct {
	Code string // as in BCP 47
	Name string // in English
	text [classes]string
}

// ParsePack reads a pack. The first line is the name of the language. Classes start with a name in brackets. Lines
// that start with # are comments.
func ParsePack(code, data string) *Pack {
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
