// Package rules decides a stop by rules about the end of a message: whether the user is needed, and whether
// work is left.
package rules

import (
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/grave"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// Reasons to continue. Most omit the evidence, which the model and the user have just seen.
const (
	GoOnWithTodos    = "The todo list is not done.{todos} Go on with the next one now, and mark each as done. If you need a decision from the user, ask for it."
	GoOnWithProgress = "You said what comes next, so do it now.{todos} When all is done, say so."
	GoOnByLeave      = "You asked whether to go on, and the user has answered that already: {evidence}. So go on now. Ask again before anything that cannot be undone or that reaches other people."
	GoOnWithSkill    = "You began to use a skill, and its work is not finished.{todos} Take its next step now. When it is done, or the skill says to wait for the user, say so."
)

// LeaveRule continues if the agent asks permission to go on and the user has already given it.
var LeaveRule = Rule{
	ID: "leave", Act: lastmessage.Leave, Then: strategy.Continue, Sure: 97, Reason: GoOnByLeave, Test: mayProceed,
}

// Checkpoint is the ID of the rule for a message that wraps up because of an announced usage limit.
const Checkpoint = "checkpoint"

// BaseRules are the default rules, in order. Most rules that stop for the user come first. The last paragraph
// is searched before earlier ones.
var BaseRules = []Rule{
	{ID: "asked", Asked: true, Then: strategy.Stop, Sure: 99},
	LeaveRule,
	{ID: "silent", Then: strategy.Stop, Sure: 95, Test: func(s strategy.Situation) (evidence, reason string, ok bool) {
		return "nothing was said in this turn", "", s.Message.Earlier || strings.TrimSpace(s.Message.Text) == ""
	}},
	{ID: "asks", Closes: "?？؟", Then: strategy.Stop, Sure: 99},
	{ID: "choices", Lists: "?？؟", Then: strategy.Stop, Sure: 99},
	{ID: Checkpoint, Says: []string{"checkpointing", "a checkpoint before the usage limit", "usage limit"}, Then: strategy.Stop, Sure: 95},
	{ID: "intent", Act: lastmessage.Starts, Then: strategy.Continue, Doubtful: true, Reason: GoOnWithProgress, Sure: 95},
	{ID: "asks", Act: lastmessage.Asks, Then: strategy.Stop, Sure: 92},
	{ID: "offers", Act: lastmessage.Offers, Then: strategy.Stop, Sure: 97},
	{ID: "waits", Act: lastmessage.Waits, Then: strategy.Stop, Sure: 90},
	{ID: "blocked", Act: lastmessage.Blocked, Then: strategy.Stop, Sure: 91},
	{ID: "hands", Act: lastmessage.Hands, Then: strategy.Stop, Sure: 92},
	{ID: "plans", Act: lastmessage.Plans, Then: strategy.Stop, Sure: 70},
	{ID: "dialogue", Skill: []string{"brainstorming"}, Within: 1, Then: strategy.Stop},
	{ID: "dialogue", Says: []string{"brainstorming skill", "using brainstorming", "using superpowers:brainstorming"}, Then: strategy.Stop},
	{ID: "progress", Act: lastmessage.Moves, Then: strategy.Continue, Doubtful: true, Sure: 99, Reason: GoOnWithProgress},
	{ID: "intent", Act: lastmessage.Announces, Then: strategy.Continue, Doubtful: true, Sure: 97, Reason: GoOnWithProgress},
	{ID: "reported", Todo: "pending", Within: 3, Act: lastmessage.Finishes, Then: strategy.Stop, Sure: 90},
	{ID: "reported", Todo: "pending", Within: 3, Test: tailReports, Then: strategy.Stop, Sure: 90},
	{ID: "todos", Todo: "pending", Within: 1, Then: strategy.Continue, Doubtful: true, Reason: GoOnWithTodos},
	{ID: "offers", Act: lastmessage.Offers, Near: true, Then: strategy.Stop, Sure: 97},
	{ID: "waits", Act: lastmessage.Waits, Near: true, Then: strategy.Stop, Sure: 90},
	{ID: "blocked", Act: lastmessage.Blocked, Near: true, Then: strategy.Stop, Sure: 91},
	{ID: "hands", Act: lastmessage.Hands, Near: true, Then: strategy.Stop, Sure: 92},
	{ID: "plans", Act: lastmessage.Plans, Near: true, Then: strategy.Stop, Sure: 70},
	// A phrase is found sooner than a pattern is compiled.
	{ID: "skill", Says: []string{"using"}, Ending: `(I['’]m using|Using) the [^.\n]* skill[^.\n]*|Using ([a-z-]+:)?[a-z]+(-[a-z]+)+ to [^.\n]*`, Then: strategy.Continue, Reason: GoOnWithSkill},
	// This rule never holds. Its presence enables the second opinion in FirstMatch.
	{ID: Opinion, Then: strategy.Stop, Sure: 60, Test: func(strategy.Situation) (evidence, reason string, ok bool) {
		return "it matches nothing, but can overrule progress, intent or todos", "", false
	}},
	{ID: "finished", Act: lastmessage.Finishes, Then: strategy.Stop, Sure: 90},
}

func PersonRules() []Rule {
	return Without(BaseRules, func(r *Rule) bool {
		return r.Then != strategy.Stop || slices.Contains([]string{"silent", "finished", "reported", Checkpoint, Opinion}, r.ID)
	})
}

func mayProceed(s strategy.Situation) (evidence, reason string, ok bool) {
	if s.Turn.Leave == "" {
		return "nothing that you said answers it", "", false
	}
	if act, grave := grave.Find(lastParagraphs(s.Message.Text, 1)); grave {
		return "it is about what only you decide: " + act, "", false
	}
	return s.Turn.Leave, "", true
}

func tailReports(s strategy.Situation) (evidence, reason string, ok bool) {
	for _, sentence := range endOfText(s.Message.Text).sentences {
		if said, ok := Reports(sentence); ok {
			return said, "", true
		}
	}
	return "the last paragraph reports nothing", "", false
}

// LongMessage is the length in bytes above which a message with no next step counts as a report.
const LongMessage = 350

// Reports quotes the first sentence that states finished work or has a URL. It ignores texts longer than twice
// LongMessage.
func Reports(text string) (sentence string, ok bool) {
	if len(text) > LongMessage*2 {
		return "", false
	}
	for _, s := range Sentences(text) {
		if strings.Contains(s, "https://") || strings.Contains(s, "http://") {
			return quotation.QuoteEvidence(s), true
		}
		words := strings.FieldsFunc(foldPhrase(s), func(r rune) bool { return !IsWordRune(r) && r != '\'' })
		for i, w := range words[:min(len(words), 5)] {
			if slices.Contains(results, w) && (i == 0 || slices.Contains(subjects, words[0])) {
				return quotation.QuoteEvidence(s), true
			}
		}
	}
	return "", false
}

var results = []string{
	"pushed", "committed", "fixed", "done", "created", "updated", "added", "shipped", "merged", "removed", "deleted", "changed", "renamed", "moved",
	"replaced", "addressed", "resolved", "reverted", "rebased", "squashed", "installed", "deployed", "published", "released", "closed", "opened",
	"saved", "written", "verified", "confirmed", "cleaned", "implemented", "documented", "refactored", "restored", "complete", "completed", "finished",
}

// subjects are words that can begin a sentence before one of results: "All 12 tests fixed", "PR created".
var subjects = []string{"all", "pr", "draft", "branch", "commit", "both", "everything", "the", "conflicts", "changes", "it", "it's", "that's", "this"}

// Need is why a message needs the user, found by PersonRules.
type Need struct {
	Rule     string
	Evidence string
	// Question reports whether the agent asks a question, gives a choice or makes an offer. Text is the
	// evidence and the last paragraphs.
	Question bool
	Text     string
}

// FindNeed returns why the agent's message needs the user. The caller checks Message.Earlier.
func FindNeed(s strategy.Situation) (n Need, ok bool) {
	v := FirstMatch(PersonRules(), nil)(s)
	if v.Rule == strategy.Unmatched {
		return Need{}, false
	}
	n = Need{Rule: v.Rule, Evidence: v.Evidence, Question: slices.Contains([]string{"asked", "asks", "choices", "offers"}, v.Rule)}
	if v.Rule == "asked" && len(s.Turn.Calls) > 0 {
		n.Evidence = s.Turn.Calls[len(s.Turn.Calls)-1].Input
	}
	n.Text = v.Evidence + "\n" + n.Evidence + "\n" + lastParagraphs(s.Message.Text, 1)
	if len(strings.Fields(v.Evidence)) <= wordsOfPointing || n.Rule == "choices" {
		n.Text += "\n" + lastParagraphs(s.Message.Text, 2)
	}
	return n, true
}

// wordsOfPointing is the maximum number of words of a question that refers to the paragraph before: "Shall I do that?"
const wordsOfPointing = 8

func lastParagraphs(text string, n int) string {
	all := strings.Split(strings.TrimSpace(strings.ReplaceAll(lastmessage.WithoutComments(text), "\r\n", "\n")), "\n\n")
	var kept []string
	for _, p := range all[max(0, len(all)-n):] {
		kept = append(kept, quotation.Tail(p, maxParagraph))
	}
	return strings.Join(kept, "\n")
}
