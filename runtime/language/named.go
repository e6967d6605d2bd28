package language

import "strings"

// Named is the pack of a language, nil if there is none.
func Named(code string) *Pack {
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
