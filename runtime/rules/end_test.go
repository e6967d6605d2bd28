package rules

import "testing"

// Every verb is found, as a base form and as its -ing form: the list is searched as a sorted one.
func TestWorkVerbs(t *testing.T) {
	for _, verb := range englishVerbs {
		if !isWorkVerb(verb) || !isIngWorkVerb(verb+"ing") {
			t.Errorf("%q is not found", verb)
		}
	}
}
