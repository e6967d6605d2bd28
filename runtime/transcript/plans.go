// Plan files that a session names, except in contents of files, because a page of links is no plan in use.
//
// A plan is a Markdown file in a directory plan, plans or planning, or with plan as a word of its name. A file of
// superpowers' ledgers, .superpowers/sdd/NAME/…, counts as its directory.

package transcript

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/runtime/codec"
)

const (
	maxPlans   = 8
	maxPath    = 300 // bytes, escaped
	maxMatches = 32  // names in one text
)

type named struct {
	At    place
	Sum   uint32 // hash of the name
	Turn  int    // of the last mention
	Wrote int    // turn when last written or edited, plus one
}

// takePlanName moves or adds a plan file to the end of l.Plans. name is a slice of e.Line.
func (l *Log) takePlanName(e *Entry, name []byte, wrote bool) {
	n := named{At: e.placeOf(name), Sum: shortHash(name), Turn: l.Turns}
	for i, old := range l.Plans {
		if old.Sum == n.Sum {
			n.Wrote = old.Wrote
			l.Plans = append(l.Plans[:i], l.Plans[i+1:]...)
			break
		}
	}
	if wrote {
		n.Wrote = l.Turns + 1
	}
	l.Plans = append(l.Plans[max(0, len(l.Plans)+1-maxPlans):], n)
}

var contents = []string{
	"content", "new_string", "old_string", "edits", "new_source", "todos", "file_text", "new_str", "old_str", "patch",
}

func (l *Log) takeCallPlans(e *Entry, p *Part) {
	input := p.Input[:min(len(p.Input), maxInput)]
	if !bytes.Contains(input, []byte(".md")) {
		return
	}
	for w := codec.EnterValue(unquoteObject(input), '{'); w.Next(); {
		key := string(w.Key)
		if slices.Contains(contents, key) {
			continue
		}
		value := codec.InsideQuotes(w.TakeValue())
		if value == nil {
			value = w.TornText()
		}
		wrote := p.Does == WritesFile && (key == "file_path" || key == "path")
		eachPlan(value, func(name []byte) {
			if input[0] != '"' {
				l.takePlanName(e, name, wrote)
			} else if i := bytes.Index(input, name); i >= 0 { // the line has it escaped once more
				l.takePlanName(e, input[i:i+len(name)], wrote)
			}
		})
	}
}

// PlansIn returns the names of plan files in a text, the last first.
func PlansIn(text string) (all []string) {
	if !strings.Contains(text, ".md") {
		return nil
	}
	eachPlan(codec.InsideQuotes(codec.AppendText(nil, text)), func(name []byte) {
		all = append([]string{strings.ReplaceAll(codec.ValidText(name), `\`, "/")}, all...)
	})
	return all
}

// eachPlan yields paths to plan files, and to directories below .superpowers/sdd, in a JSON string, still escaped.
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
		if end-start > maxPath || continuesWord(text[end:]) {
			continue
		}
		if name := text[start:end]; isPlanLike(name) {
			yield(name)
		} else if name := sddDir(name); name != nil {
			yield(name)
		}
	}
}

// pathStart returns the offset, from floor on, where the path ending at end begins. text is the inside of a JSON
// string, still escaped.
func pathStart(text []byte, floor, end int) int {
	i := end
	for i > floor && end-i <= maxPath {
		c := text[i-1]
		if c == '\\' {
			if i-2 < floor || text[i-2] != '\\' {
				return min(i+1, end) // after the letter of the escape
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

func continuesWord(rest []byte) bool {
	if len(rest) > 1 && (rest[0] == '.' || rest[0] == '-') {
		return isAlnumOrHigh(rest[1])
	}
	return len(rest) > 0 && (isAlnumOrHigh(rest[0]) || rest[0] == '_' || rest[0] == '/')
}

func isAlnumOrHigh(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}

// isPlanLike reports whether a form of "plan" is a word of the file name, or a directory's last word. Callers check for
// .md.
func isPlanLike(path []byte) bool {
	isPlan := func(word string) bool {
		return slices.Contains([]string{"plan", "plans", "planning", "plannings"}, word)
	}
	separates := func(r rune) bool { return r < 0x80 && !isAlnumOrHigh(byte(r)) }
	names := strings.FieldsFunc(strings.ToLower(string(path)), func(r rune) bool { return r == '/' || r == '\\' })
	last := len(names) - 1
	inDir := func(dir string) bool { return isPlan(dir[strings.LastIndexFunc(dir, separates)+1:]) }
	return slices.ContainsFunc(names[:last], inDir) || slices.ContainsFunc(strings.FieldsFunc(names[last], separates), isPlan)
}

func sddDir(path []byte) []byte {
	const parent = ".superpowers/sdd/"
	before, rest, _ := bytes.Cut(path, []byte(parent))
	name, _, found := bytes.Cut(rest, []byte("/"))
	if !found || len(name) == 0 {
		return nil
	}
	return path[:len(before)+len(parent)+len(name)]
}
