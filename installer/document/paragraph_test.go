package document

import "testing"

const note = "# Hooks\n\nA Stop hook may continue the turn."

func TestAppendParagraph(t *testing.T) {
	for name, test := range map[string]struct{ have, want string }{
		"nothing":            {"", note + "\n"},
		"a line":             {"Be kind.\n", "Be kind.\n\n" + note + "\n"},
		"no final line end":  {"Be kind.", "Be kind.\n\n" + note},
		"a blank line":       {"Be kind.\n\n", "Be kind.\n\n" + note + "\n"},
		"Windows":            {"Be kind.\r\n", "Be kind.\r\n\r\n# Hooks\r\n\r\nA Stop hook may continue the turn.\r\n"},
		"Windows, no end":    {"Be\r\nkind.", "Be\r\nkind.\r\n\r\n# Hooks\r\n\r\nA Stop hook may continue the turn."},
		"last end counts":    {"Be\r\nkind.\n", "Be\r\nkind.\n\n" + note + "\n"},
		"a byte order mark":  {"\ufeffBe kind.\n", "\ufeffBe kind.\n\n" + note + "\n"},
		"there":              {"Be kind.\n\n" + note + "\n", ""},
		"there, moved":       {note + "\nBe kind.\n", ""},
		"there, as Windows":  {"# Hooks\r\n\r\nA Stop hook may continue the turn.\r\nBe kind.\r\n", ""},
		"there, but changed": {"# Hooks\n\nA Stop hook may\n", "# Hooks\n\nA Stop hook may\n\n" + note + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, changed := AppendParagraph(test.have, "\n"+note+"\n\n")
			if want := test.want; changed != (want != "") || changed && got != want || !changed && got != test.have {
				t.Errorf("%q, %t", got, changed)
			}
			if again, changed := AppendParagraph(got, note); changed || again != got {
				t.Errorf("again: %q", again)
			}
		})
	}
}
