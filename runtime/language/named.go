package language

import "strings"

// swapped are packs that a test has put in the place of others.
var swapped map[string]*Pack

// Swap puts a pack in the place of the one with its code, for tests and tools that
// try another; not while anything is being read.
func Swap(p *Pack) (undo func()) {
	before := swapped[p.Code]
	if swapped == nil {
		swapped = map[string]*Pack{}
	}
	swapped[p.Code] = p
	return func() { swapped[p.Code] = before }
}

// Named is the pack of a language, nil if there is none.
func Named(code string) *Pack {
	if p := swapped[code]; p != nil {
		return p
	}
	data := dataOf(code)
	if data == "" {
		return nil
	}
	return Parse(code, data)
}

// Names says codes as names of languages: "German, English".
func Names(codes []string) string {
	var all []string
	for _, code := range codes {
		if p := Named(code); p != nil {
			all = append(all, p.Name)
		}
	}
	return strings.Join(all, ", ")
}
