package hosts

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/document"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// oldEntries are the lines that an older springfield wrote into config.toml.
const oldEntries = "\n[marketplaces.hooks]\nsource = \"/my hooks\"\nsource_type = \"local\"\n\n[plugins.\"ned@hooks\"]\nenabled = true\n\n[hooks.state.\"ned@hooks:hooks/shell.json:stop:0:0\"]\ntrusted_hash = \"sha256:aa\"\n"

func backEdits() []document.Edit {
	return []document.Edit{
		{Path: []string{"marketplaces", "hooks", "source"}}, {Path: []string{"marketplaces", "hooks", "source_type"}}, {Path: []string{"marketplaces", "hooks"}},
		{Path: []string{"plugins", "ned@hooks", "enabled"}}, {Path: []string{"plugins", "ned@hooks"}},
		{Path: []string{"hooks", "state", "ned@hooks:hooks/shell.json:stop:0:0", "trusted_hash"}}, {Path: []string{"hooks", "state", "ned@hooks:hooks/shell.json:stop:0:0"}},
	}
}

// Only unchanged lines are removed; another form is left to the user.
func TestConfigGivesBack(t *testing.T) {
	const refused = "refused"
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	for name, c := range map[string]struct{ text, want string }{
		"as written":           {"# mine\na = 1\n" + oldEntries, "# mine\na = 1\n"},
		"with CRLF":            {crlf("# mine\na = 1\n" + oldEntries), crlf("# mine\na = 1\n")},
		"with more behind it":  {"a = 1\n" + oldEntries + "\n[z] # z\nb   = 2", "a = 1\n\n[z] # z\nb   = 2"},
		"in a file of its own": {oldEntries[1:], ""},
		"not there":            {"a = 1", "a = 1"},
		"removed since":        {"[marketplaces.other]\nsource = \"/my hooks\"\n", "[marketplaces.other]\nsource = \"/my hooks\"\n"},
		"a comment beside it":  {strings.Replace(oldEntries, "true", "true # mine", 1), refused},
		"an inline table":      {"plugins = {\"ned@hooks\" = {enabled = true}}\n", refused},
		"a member of theirs":   {strings.Replace(oldEntries, "enabled = true\n", "enabled = true\nx = 1\n", 1), refused},
		"the same in a string": {"a = \"\"\"\n[plugins.\"ned@hooks\"]\nenabled = true\n\"\"\"\n" + oldEntries, refused},
	} {
		doc, err := parseConfig([]byte(c.text))
		must(t, err)
		got, err := doc.ApplyEdits(backEdits()...)
		if err != nil {
			got = []byte(refused)
		}
		scratch.Equal(t, string(got), c.want, name)
	}
}

// An earlier value comes back in its place.
func TestConfigGivesAValueBack(t *testing.T) {
	doc, err := parseConfig([]byte("[plugins.\"ned@hooks\"]\n  enabled = true\nx = 1\n"))
	must(t, err)
	got, err := doc.ApplyEdits(document.Edit{Path: []string{"plugins", "ned@hooks", "enabled"}, Value: json.RawMessage("false")})
	must(t, err)
	scratch.Equal(t, string(got), "[plugins.\"ned@hooks\"]\n  enabled = false\nx = 1\n")
}

// An edit removes nothing else.
func FuzzConfig(f *testing.F) {
	f.Add("a = 1\n", "\n[z]\nb = 2\n")
	f.Add("a = \"\"\"\n", "\"\"\"\n")
	f.Add("[plugins]\n", "[[x]]\n[plugins.\"ned@hooks\"]\n")
	f.Fuzz(func(t *testing.T, above, below string) {
		if len(above)+len(below) > 1<<12 {
			return
		}
		doc, err := parseConfig([]byte(above + oldEntries + below))
		if err != nil {
			return
		}
		edits := backEdits()[4:5]
		after, err := doc.ApplyEdits(edits...)
		if err != nil {
			return
		}
		now, err := parseConfig(after)
		must(t, err)
		want := flatten(map[string]string{}, "", doc.members)
		delete(want, flatName(edits[0].Path...))
		if got := flatten(map[string]string{}, "", now.members); !maps.Equal(want, got) {
			t.Errorf("%q became %q", doc.text, after)
		}
	})
}
