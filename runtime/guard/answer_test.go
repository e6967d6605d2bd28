package guard

import "testing"

func TestAnswer(t *testing.T) {
	command := func(name string) string {
		return "<command-message>" + name + "</command-message>\n<command-name>/" + name + "</command-name>\n<command-args>x</command-args>"
	}
	for name, test := range map[string]struct {
		prompt string
		calls  int
		rule   string
	}{
		"why":                 {command("marge-simpson:why"), 0, "answer"},
		"log":                 {command("marge-simpson:log"), 0, "answer"},
		"the state":           {command("marge-simpson:state"), 0, "answer"},
		"then work":           {command("marge-simpson:why"), 1, ""},
		"another plugin":      {command("homer:why"), 0, ""},
		"another command":     {command("marge-simpson:work"), 0, ""},
		"the page":            {command("marge-simpson:page"), 0, "answer"},
		"a prompt":            {"why?", 0, ""},
		"a prompt that shows": {"what is /marge-simpson:why?", 0, ""},
		"nothing":             {"", 0, ""},
	} {
		if v := CheckPrompt("marge-simpson", test.prompt, test.calls); v.Rule != test.rule {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
