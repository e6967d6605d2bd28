package language

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// starInside tells a star with letters on both sides.
func starInside(entry string) bool {
	for i := 1; i+1 < len(entry); i++ {
		next, _ := utf8.DecodeRuneInString(entry[i+1:])
		if entry[i] == '*' && wordBefore(entry, i) && isWord(next) {
			return true
		}
	}
	return false
}

// maxEntry bounds an entry, in bytes.
const maxEntry = 160

// Check names what is wrong with a pack: entries that are there twice, that are not
// folded or that name no class.
func (p *Pack) Check() []error {
	var faults []error
	fault := func(c Class, entry, what string) {
		faults = append(faults, errors.New("["+string(c)+"] "+strconv.Quote(entry)+": "+what))
	}
	if strings.TrimSpace(p.Name) == "" {
		faults = append(faults, errors.New("the first line does not name the language"))
	}
	for _, name := range p.unknown {
		faults = append(faults, errors.New("there is no class ["+name+"]"))
	}
	for _, c := range Classes() {
		seen := map[string]bool{}
		for _, e := range p.Entries(c) {
			switch {
			case seen[e]:
				fault(c, e, "is there twice")
			case len(e) > maxEntry:
				fault(c, e, "is too long")
			case !strings.Contains(e, ",") && strings.TrimSpace(e) == e && Fold(e) != e:
				fault(c, e, "is not folded: write "+Fold(e))
			case starInside(e):
				fault(c, e, "a star stands before or behind a word")
			case strings.TrimSpace(e) != e:
				fault(c, e, "has blanks around it")
			case strings.Contains(e, ","):
				fault(c, e, "has a comma: an entry is a line of its own")
			case strings.Contains(e, "..."):
				fault(c, e, "write … for a gap")
			}
			seen[e] = true
			for rest := e; ; {
				_, after, ok := strings.Cut(rest, "{")
				if !ok {
					break
				}
				name, after, ok := strings.Cut(after, "}")
				if _, known := classNamed(name); !ok || !known && name != "n" {
					fault(c, e, "there is no class {"+name+"}")
				}
				rest = after
			}
		}
	}
	return faults
}
