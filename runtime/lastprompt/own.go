package lastprompt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/lastmessage"
	"github.com/cameronsjo/springfield/runtime/quotation"
)

// maxPart is the number of bytes that are read from each end of a prompt, and maxSentences the number of sentences.
const (
	maxPart      = 512
	maxSentences = 10
)

func isSlashCommand(begin string) bool {
	begin = strings.TrimSpace(begin)
	if strings.HasPrefix(begin, "<command-") || strings.HasPrefix(begin, "<local-command-") {
		return true
	}
	name, ok := strings.CutPrefix(begin, "/")
	if i := strings.IndexAny(name, " \t\n"); i >= 0 {
		name = name[:i]
	}
	return ok && name != "" && !strings.ContainsAny(name, "/.?")
}

// ownSentences returns the sentences the user probably typed, only the first and last for long prompts. short reports
// whether these are all, with up to maxShort characters.
func ownSentences(p Prompt) (all []lastmessage.Sentence, short bool) {
	var first, last []lastmessage.Sentence
	if whole, ok := wholePrompt(p); ok {
		if all = typedSentences(whole); len(all) <= 2*maxSentences {
			length := 0
			for _, s := range all {
				length += utf8.RuneCountInString(s.Text)
			}
			return all, length <= maxShort
		}
		first, last = all, all
	} else {
		first, last = typedSentences(quotation.Head(p.Begin, maxPart)), typedSentences(afterCutCode(quotation.Tail(p.End, maxPart)))
		first, last = first[:max(0, len(first)-1)], last[min(1, len(last)):]
	}
	return append(slices.Clip(first[:min(len(first), maxSentences)]), last[max(0, len(last)-maxSentences):]...), false
}

// wholePrompt returns the whole prompt, or false if beginning and end are too long or do not overlap.
func wholePrompt(p Prompt) (string, bool) {
	if len(p.Begin) > maxPart || len(p.End) > maxPart {
		return "", false
	}
	for n := min(len(p.Begin), len(p.End)); n >= 16 || n > 0 && n == len(p.Begin); n-- {
		if p.Begin[len(p.Begin)-n:] == p.End[:n] {
			return p.Begin + p.End[n:], true
		}
	}
	return "", false
}

func afterCutCode(text string) string {
	fences, rest, named := 0, text, false
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		at += len(line) + 1
		if mark, _, info := lastmessage.FenceAt(strings.TrimSpace(line)); mark != 0 {
			if fences++; fences == 1 {
				rest, named = text[min(at, len(text)):], info != ""
			}
		}
	}
	if fences%2 == 0 || named {
		return text
	}
	return rest
}

func typedSentences(text string) (typed []lastmessage.Sentence) {
	lines := strings.Split(maskAtMentions(withoutBracketNotes(withoutHostTags(strings.ToValidUTF8(text, "")))), "\n")
	for i, line := range lines {
		if isPrinted(strings.TrimSpace(line), len(lines) > 1) {
			lines[i] = ""
		}
	}
	text = strings.Join(lines, "\n")
	typed = lastmessage.Sentences(text)
	if trimmed := strings.TrimSpace(text); len(typed) == 0 && trimmed != "" && len(trimmed) < 20 && strings.ContainsFunc(trimmed, func(r rune) bool { return unicode.Is(unicode.So, r) }) {
		typed = append(typed, lastmessage.Sentence{Text: trimmed}) // 👍
	}
	return typed
}

// withoutHostTags removes elements that the host adds, named with "_" or "-": "<ide_selection>".
func withoutHostTags(prompt string) string {
	for from := 0; ; {
		i := strings.IndexByte(prompt[from:], '<')
		if i < 0 {
			return prompt
		}
		i += from
		from = i + 1
		name, closes := strings.CutPrefix(prompt[i+1:], "/")
		if n := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' && r != '-' }); n >= 0 {
			name = name[:n]
		}
		if len(name) < 3 || !strings.ContainsAny(name[1:], "_-") {
			continue
		}
		_, rest, _ := strings.Cut(prompt[i:], "</"+name+">")
		if closes { // it began before this part
			prompt, from = rest, 0
		} else {
			prompt, from = prompt[:i]+"\n"+rest, i
		}
	}
}

// withoutBracketNotes removes the host's notes in brackets ("[Image #1]").
func withoutBracketNotes(prompt string) string {
	for _, note := range []string{"[Image", "[Pasted text", "[Request interrupted"} {
		for before, rest, ok := strings.Cut(prompt, note); ok; before, rest, ok = strings.Cut(prompt, note) {
			_, rest, _ = strings.Cut(rest, "]")
			prompt = before + rest
		}
	}
	return prompt
}

// maskAtMentions replaces file mentions, e.g. "@main.go", with "@" as inline code.
func maskAtMentions(text string) (masked string) {
	words := strings.Split(strings.ReplaceAll(text, "\n", "\n "), " ")
	for i, word := range words {
		if end := strings.TrimRight(word, ",\n"); len(end) > 1 && end[0] == '@' {
			words[i] = "`@`" + word[len(end):]
		}
	}
	return strings.ReplaceAll(strings.Join(words, " "), "\n ", "\n")
}

// printed are prefixes of lines that programs print.
var printed = []string{
	"at ", "File \"", "Traceback", "Caused by", "panic:", "goroutine ", "npm ", "$ ", "% ", "error[", "error TS", "--- FAIL", "=== RUN", "FAIL", "diff --git", "@@ ",
	"+++", "INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL", "[INFO", "[WARN", "[ERROR", "[error", "[DEBUG", "E/", "W/", "❯", "➜", ">>>", "fatal:", "error:", "warning:", "Exception in",
}

// isPrinted reports whether a program probably printed the line. With hasOthers (other lines exist), a line with few
// plain words also counts.
func isPrinted(trimmed string, hasOthers bool) bool {
	for _, p := range printed {
		if strings.HasPrefix(trimmed, p) && (p != "at " && p != "npm " || strings.ContainsAny(trimmed, "(!/")) {
			return true
		}
	}
	fields := strings.Fields(trimmed)
	if len(fields) == 0 {
		return false
	}
	first := strings.Trim(fields[0], "[](),:")
	if len(first) >= 8 && strings.Count(first, ":")+strings.Count(first, "-") >= 2 && first[0] >= '0' && first[0] <= '9' {
		return true // 12:30:01, 2026-01-31
	}
	if len(first) > 5 && strings.HasSuffix(fields[0], ":") && (strings.HasSuffix(first, "Error") || strings.HasSuffix(first, "Exception")) {
		return true // java.io.IOException:
	}
	words := 0
	for _, f := range fields {
		if !strings.ContainsAny(strings.TrimRight(f, ".,:;!?)"), "=/\\{}[]<>|$@#%^&+()_;:0123456789") {
			words++
		}
	}
	return hasOthers && len(fields) >= 3 && 5*words < 2*len(fields)
}
