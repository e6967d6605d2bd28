package grave_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/grave"
)

func TestExamples(t *testing.T) {
	all, wrong := slices.Concat(readExamples(t)...), 0
	for _, e := range all {
		if _, found := grave.Find(e.Text); found != e.Grave {
			wrong++
			t.Logf("grave %v: %s", e.Grave, e.Text)
		}
	}
	if wrong > len(all)/50 {
		t.Errorf("%d of the %d examples that the weights were learned from are wrong", wrong, len(all))
	}
}

// The text before a question may be grave, not the question, or the reverse.
func TestFindInParagraphs(t *testing.T) {
	for text, want := range map[string]bool{
		"“Shall I do that?”\nShall I do that?\nNext I would delete the old backups.\n\nShall I do that?": true,
		"“Should I push the bran…”\nAll is done. Should I push the branch?":                              true,
		"What now?\n\n1. Keep both tables\n2. Drop table `users_old`":                                    true,
		"The old backups were deleted yesterday.\n\nShould the new index be built on the name?":          false,
		strings.Repeat("All tests pass. ", 2000) + "Shall I publish it?":                                 true,
		strings.Repeat("and so on ", 2000) + "shall I delete the table?":                                 true,
		"\xff\xfe": false,
		"":         false,
	} {
		if act, found := grave.Find(text); found != want || found == (act == "") {
			t.Errorf("%.80q: %q", text, act)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("Soll ich die Tabelle löschen?")
	f.Add("要删除旧表吗？ rm -rf `a/b.go` —")
	f.Fuzz(func(t *testing.T, text string) {
		if act, found := grave.Find(text); found == (act == "") || utf8.ValidString(text) && !utf8.ValidString(act) {
			t.Errorf("%q, %v", act, found)
		}
	})
}
