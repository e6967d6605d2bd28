package grave_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cameronsjo/springfield/runtime/grave"
)

// Grave questions and harmless ones, a file for a language; asked.txt has them as agents ask them.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			sign, question, _ := strings.Cut(strings.TrimSpace(line), " ")
			if act, found := grave.Find(question); found != (sign == "+") || found && act == "" {
				t.Errorf("%s: %s %q (%q)", file, sign, question, act)
			}
		}
	}
}

// What leads to a question may stand in front of it, and evidence in front of that.
func TestFindInParagraphs(t *testing.T) {
	for text, want := range map[string]string{
		"“Shall I do that?”\nShall I do that?\nNext I would delete the old backups.\n\nShall I do that?": "delete",
		"“Should I push the bran…”\nAll is done. Should I push the branch?":                              "push",
		"What now?\n\n1. Keep both tables\n2. Drop table `users_old`":                                    "drop",
		"The old backups were deleted yesterday.\n\nShould the new index be built on the name?":          "",
		strings.Repeat("All tests pass. ", 2000) + "Shall I publish it?":                                 "publish",
		"Soll ich die alten Einträge wegzaubern?":                                                        "soll ich die alten einträge wegzaubern",
		strings.Repeat("and so on ", 200) + "shall I delete the table?":                                  "delete",
		"": "",
	} {
		if act, found := grave.Find(text); act != want || found != (want != "") {
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
