package rules

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/language"
	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

const maxParagraph = 600 // bytes, of its end

// markup lists characters ignored after the last one of a sentence.
const markup = " \t\r\n\"'”’)]*_`」』）"

// lead lists characters ignored before the first word of a sentence, such as list marks.
const lead = " \t\r\n-*_#>`(\"“•◆►▶→✓✔✅━─═=|"

// end is the end of a message, for the conditions opens, begins, last, says, ending, closes and lists. Most
// default rules use package lastmessage instead.
type end struct {
	paragraph string
	intro     string   // paragraph before a list
	sentences []string // of the intro and the paragraph, without leading markup
	last      string   // the paragraph's last sentence
}

func endOfText(text string) end {
	text = lastmessage.WithoutComments(text)
	p := strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	before := ""
	if i := strings.LastIndex(p, "\n\n"); i >= 0 {
		before, p = strings.TrimSpace(p[:i]), p[i+2:]
	}
	p = quotation.Tail(p, maxParagraph)
	e := end{paragraph: p, sentences: Sentences(p)}
	if n := len(e.sentences); n > 0 {
		e.last = e.sentences[n-1]
	}
	if isWhollyList(p) && before != "" {
		e.intro = quotation.Tail(before[strings.LastIndex(before, "\n\n")+1:], maxParagraph)
		e.sentences = append(Sentences(e.intro), e.sentences...)
	}
	return e
}

func isWhollyList(para string) bool {
	for _, line := range strings.Split(para, "\n") {
		if line = strings.TrimLeft(line, " \t"); strings.HasPrefix(line, "* ") {
			continue
		}
		line = strings.TrimLeft(line, "*_")
		marker, _, ok := strings.Cut(line, " ")
		last, _ := utf8.DecodeLastRuneInString(marker)
		if !ok || len(marker) > 3 || !strings.ContainsRune("-+*•.):", last) && marker != "" {
			return false
		}
	}
	return para != ""
}

// Sentences splits p at line endings and after full stops, colons, question and exclamation marks (ASCII ones only
// before a space). Leading markup is removed, blanks at the end are not.
func Sentences(p string) (all []string) {
	start := 0
	cut := func(end int) {
		if s := strings.TrimLeft(p[start:end], lead); strings.Trim(s, markup) != "" {
			all = append(all, s)
		}
		start = end
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '.', '!', '?', ':':
			if i+1 == len(p) || p[i+1] != ' ' {
				continue
			}
		case '\n':
		default:
			if !utf8.RuneStart(p[i]) {
				continue
			}
			r, size := utf8.DecodeRuneInString(p[i:])
			if !strings.ContainsRune("。！？؟।", r) || r == utf8.RuneError {
				continue
			}
			i += size - 1
		}
		cut(i + 1)
	}
	cut(len(p))
	return all
}

func foldPhrase(s string) string { return strings.ReplaceAll(strings.ToLower(s), "’", "'") }

// EndsWithSign reports whether p ends with one of the characters, ignoring final markup and symbols. It is false if m
// has too few steps left. A nil m is unlimited.
func EndsWithSign(p, characters string, m *StepBudget) bool {
	if !m.spendSteps(5 + len(p)*len(characters)/64) {
		return false
	}
	p = strings.TrimRightFunc(p, func(r rune) bool {
		isMarkup := strings.ContainsRune(markup, r) || unicode.In(r, unicode.So, unicode.Mn, unicode.Cf)
		return isMarkup && !strings.ContainsRune(characters, r)
	})
	last, _ := utf8.DecodeLastRuneInString(p)
	return p != "" && strings.ContainsRune(characters, last)
}

// findSentence returns the first (last if backward) sentence for which has returns true, in quotes.
func (e end) findSentence(backward bool, phrases []string, m *StepBudget, has func(sentence string, phrases []string, m *StepBudget) bool) (
	string, bool,
) {
	m.spendSteps(len(e.intro))
	for i := range e.sentences {
		if backward {
			i = len(e.sentences) - 1 - i
		}
		if has(e.sentences[i], phrases, m) {
			return quotation.QuoteEvidence(e.sentences[i]), true
		}
	}
	return "", false
}

// OpensWithPhrase reports whether sentence begins with a phrase, ignoring case. Final {do} and {doing} match any of
// englishVerbs. It spends steps of m, and returns false if none are left. A nil m is unlimited.
func OpensWithPhrase(sentence string, phrases []string, m *StepBudget) bool {
	m.spendSteps(5 + len(sentence)/8)
	s := foldPhrase(sentence)
	for _, phrase := range phrases {
		if !m.spendSteps(10 + len(phrase)/8) {
			return false
		}
		phrase = foldPhrase(phrase)
		before, class, _ := strings.Cut(phrase, "{")
		if !strings.HasPrefix(s, before) {
			continue
		}
		word, opens := firstWord(s[len(before):]), false
		switch class {
		case "do}":
			opens = isWorkVerb(word)
		case "doing}":
			opens = isIngWorkVerb(word)
		default:
			opens = !IsWordRuneAt(s, len(phrase))
		}
		if opens {
			return true
		}
	}
	return false
}

// HasAnyPhrase reports whether sentence contains any phrase (not "") as whole words, ignoring case. It spends steps of
// m, and returns false if none are left. A nil m is unlimited.
func HasAnyPhrase(sentence string, phrases []string, m *StepBudget) bool {
	m.spendSteps(5 + len(sentence)/8)
	folded := foldPhrase(sentence)
	for _, phrase := range phrases {
		if !m.spendSteps(5 + (len(sentence)+len(phrase))/8) {
			return false
		}
		phrase = foldPhrase(phrase)
		for from := 0; ; {
			m.spendSteps(1) // for each match within a word
			i := strings.Index(folded[from:], phrase)
			if i < 0 {
				break
			}
			i += from
			if !IsWordRuneBefore(folded, i) && !IsWordRuneAt(folded, i+len(phrase)) {
				return true
			}
			from = i + 1
		}
	}
	return false
}

func IsWordRuneBefore(s string, end int) bool {
	r, _ := utf8.DecodeLastRuneInString(s[:end])
	return IsWordRune(r)
}

func IsWordRuneAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return IsWordRune(r)
}

// IsWordRune reports whether r is a letter or digit of a script that separates words with spaces.
func IsWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) && language.UsesBlanks(string(r))
}

// englishVerbs are the base forms of the verbs that {do} and {doing} match, in alphabetical order. Verbs of
// instructions to a person, such as "try" and "restart", are left out.
var englishVerbs = []string{
	"add", "address", "adjust", "analyse", "analyze", "append", "apply", "assemble", "audit", "bisect", "build", "bump", "capture", "change",
	"check", "clean", "collect", "combine", "commit", "compare", "compile", "compute", "confirm", "continue", "convert", "copy", "correct",
	"create", "cross-check", "debug", "define", "delegate", "delete", "dig", "dispatch", "document", "double-check", "draft", "drop", "edit",
	"examine", "execute", "exercise", "expand", "explore", "export", "extend", "extract", "fetch", "fill", "find", "finish", "fix", "format",
	"gather", "generate", "get", "grep", "handle", "implement", "import", "improve", "insert", "inspect", "install", "integrate", "investigate",
	"kick", "launch", "link", "lint", "list", "load", "locate", "look", "make", "map", "mark", "measure", "merge", "migrate", "move", "patch",
	"perform", "pin", "prepare", "proceed", "process", "profile", "propagate", "pull", "push", "query", "re-check", "re-read", "re-run",
	"re-test", "re-verify", "read", "rebase", "rebuild", "record", "redo", "refactor", "regenerate", "register", "remove", "rename", "replace",
	"reproduce", "rerun", "research", "resolve", "restore", "resume", "retry", "review", "revise", "rewrite", "run", "save", "scaffold", "scan",
	"search", "simplify", "sketch", "spawn", "split", "squash", "stage", "start", "strip", "sweep", "switch", "sync", "tackle", "tag", "test",
	"tidy", "trace", "trim", "tune", "update", "validate", "verify", "wire", "work", "wrap", "write",
}

func isWorkVerb(word string) bool {
	i := sort.SearchStrings(englishVerbs, word) // slices.BinarySearch is larger in the hook
	return i < len(englishVerbs) && englishVerbs[i] == word
}

func isIngWorkVerb(word string) bool {
	stem, ok := strings.CutSuffix(word, "ing")
	if !ok || stem == "" {
		return false
	}
	last := len(stem) - 1
	return isWorkVerb(stem) || isWorkVerb(stem+"e") || last > 0 && stem[last] == stem[last-1] && isWorkVerb(stem[:last])
}

func firstWord(low string) string {
	rest := strings.TrimLeftFunc(low, func(r rune) bool { return 'a' <= r && r <= 'z' || r == '-' })
	return low[:len(low)-len(rest)]
}
