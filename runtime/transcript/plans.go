// Plan files that a session names: a person who asks for a plan to be carried
// out, Claude who says which one, and calls that read, tick or hand it on. What
// is named by a file's content is not: a page of links is no plan in use.
//
// A plan is a Markdown file that lies in a directory called plan, plans or
// planning, or has plan for a word of its name. The files of superpowers'
// subagent-driven development, .superpowers/sdd/NAME/…, stand for NAME.

package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	maxPlans   = 8
	maxPath    = 300 // bytes of a name, as written
	maxMatches = 32  // names in one text
)

type named struct {
	At    place
	Sum   uint32 // hash of the name
	Turn  int    // of the newest sign of it
	Wrote int    // the turn in which it was written or edited, plus one
}

// takePlanNames takes the names in the inside of a JSON string.
func (l *Log) takePlanNames(e *Entry, text []byte, wrote bool) {
	eachPlan(text, func(name []byte) { l.takePlanName(e, name, wrote) })
}

// takePlanName takes the name of a plan, a part of the line.
func (l *Log) takePlanName(e *Entry, name []byte, wrote bool) {
	n := named{At: e.placeOf(name), Sum: shortCallID(name), Turn: l.Turns}
	if i := slices.IndexFunc(l.Plans, func(old named) bool { return old.Sum == n.Sum }); i >= 0 {
		n.Wrote = l.Plans[i].Wrote
		l.Plans = append(l.Plans[:i], l.Plans[i+1:]...)
	}
	if wrote {
		n.Wrote = l.Turns + 1
	}
	l.Plans = pushBounded(l.Plans, n, maxPlans)
}

// namesIn takes the names in the beginning of a call's input, but for what it writes.
func (l *Log) namesIn(e *Entry, p *Part) {
	input := p.Input[:min(len(p.Input), maxInput)]
	if !bytes.Contains(input, []byte(".md")) {
		return
	}
	object := objectIn(input)
	w := codec.EnterValue(object, '{')
	for w.Next() {
		switch string(w.Key) {
		case "content", "new_string", "old_string", "edits", "new_source", "todos", "file_text", "new_str", "old_str", "patch":
		default:
			key, value := string(w.Key), codec.InsideQuotes(w.Value())
			if value == nil {
				value = w.CutRest() // a long one, cut
			}
			wrote := p.Does == WritesFile && (key == "file_path" || key == "path")
			if len(input) > 0 && input[0] == '"' { // the line has it escaped once more
				eachPlan(value, func(name []byte) {
					if i := bytes.Index(input, name); i >= 0 {
						l.takePlanName(e, input[i:i+len(name)], wrote)
					}
				})
			} else {
				l.takePlanNames(e, value, wrote)
			}
		}
	}
}

// PlansIn are the names of plans in a text, the last one first.
func PlansIn(text string) (all []string) {
	if !strings.Contains(text, ".md") {
		return nil
	}
	eachPlan(codec.InsideQuotes(codec.AppendText(nil, text)), func(name []byte) {
		all = append([]string{withSlash(codec.ValidText(name))}, all...)
	})
	return all
}

func withSlash(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// eachPlan yields the names of plans in the inside of a JSON string, as they are
// written there.
func eachPlan(text []byte, yield func(name []byte)) {
	const suffix = ".md"
	for from, matches := 0, 0; matches < maxMatches; matches++ {
		i := bytes.Index(text[from:], []byte(suffix))
		if i < 0 {
			return
		}
		end := from + i + len(suffix)
		start := pathStart(text, from, end-len(suffix))
		from = end
		if end-start > maxPath || isLongerWord(text[end:]) {
			continue
		}
		if name := text[start:end]; looksLikePlan(name) {
			yield(name)
		} else if name := ledgerDir(name); name != nil {
			yield(name)
		}
	}
}

// pathStart is where the path begins that ends at an index.
func pathStart(text []byte, floor, end int) int {
	i := end
	for i > floor && end-i <= maxPath {
		c := text[i-1]
		if c == '\\' {
			if i-2 < floor || text[i-2] != '\\' {
				// An escape: the letter behind the backslash belongs to it.
				return min(i+1, end)
			}
			i -= 2
			continue
		}
		if c == ':' && (i == end || text[i] != '/' && text[i] != '\\') {
			break // C:/ is part of a path, "the plan:docs/…" is not
		}
		if c <= ' ' || bytes.IndexByte([]byte("\"'`()[]{}<>|;,=*@!?&$#"), c) >= 0 {
			break
		}
		i--
	}
	return i
}

// isLongerWord tells whether what stands behind ".md" makes it part of a longer word.
func isLongerWord(rest []byte) bool {
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == '-') {
		return isLetter(rest[1])
	}
	return len(rest) > 0 && (isLetter(rest[0]) || rest[0] == '_' || rest[0] == '/')
}

func isLetter(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

func looksLikePlan(path []byte) bool {
	const word = "plan"
	lower := bytes.ToLower(path)
	base := max(bytes.LastIndexByte(lower, '/'), bytes.LastIndexByte(lower, '\\')) + 1
	for at := 0; ; {
		i := bytes.Index(lower[at:], []byte(word))
		if i < 0 {
			return false
		}
		i += at
		at = i + len(word)
		if i > 0 && isLetter(lower[i-1]) {
			continue
		}
		rest := lower[at:]
		for _, ending := range [...]string{"ning", "s"} {
			rest = bytes.TrimPrefix(rest, []byte(ending))
		}
		if i >= base && !isLetter(rest[0]) || i < base && (rest[0] == '/' || rest[0] == '\\') {
			return true
		}
	}
}

// ledgerDir is the directory of a superpowers ledger that a path lies in, nil
// if it lies in none.
func ledgerDir(path []byte) []byte {
	const above = ".superpowers/sdd/"
	i := bytes.Index(path, []byte(above))
	if i < 0 {
		return nil
	}
	i += len(above)
	n := bytes.IndexByte(path[i:], '/')
	if n <= 0 {
		return nil
	}
	return path[:i+n]
}
