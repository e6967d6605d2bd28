package rules

import "testing"

// Every verb is found, as a base form and as its -ing form: the list is searched as a sorted one.
func TestWorkVerbs(t *testing.T) {
	for _, verb := range englishVerbs {
		if !isWorkVerb(verb) || !isWorking(verb+"ing") {
			t.Errorf("%q is not found", verb)
		}
	}
}

func TestBulletsAreAList(t *testing.T) {
	for _, bullet := range []string{"-", "+", "*", "•", "1.", "2)", "a)"} {
		if list := bullet + " read it\n" + bullet + " write it"; !isWhollyList(list) {
			t.Errorf("%q is no list", list)
		}
	}
}
