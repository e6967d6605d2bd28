package hosts

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// linked is a user's directory of a host, with files: paths and what is in them.
func linked(t *testing.T, host Host, files map[string]string) Request {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		scratch.PutFile(t, filepath.Join(home, filepath.FromSlash(name)), strings.ReplaceAll(text, "HOME", filepath.ToSlash(home)))
	}
	at := host.PlaceFor(User{Home: home, Work: filepath.Join(home, "plans"), Look: func(string) string { return "" }})
	return Request{At: at, ID: "ned", Plugin: client.Plugin{Name: "ned", Marketplace: "suite", Suite: filepath.Join(home, "suite")}}
}

func TestExtensionsInstalled(t *testing.T) {
	r := linked(t, geminiHost(), map[string]string{
		"suite/ned/gemini/gemini-extension.json":                  `{"name": "ned", "version": "0.2.0"}`,
		".gemini/extensions/ned/.gemini-extension-install.json":   `{"source": "HOME/suite/ned/gemini", "type": "link"}`,
		".gemini/extensions/gone/.gemini-extension-install.json":  `{"source": "HOME/suite/gone/gemini", "type": "link"}`,
		"other/gemini-extension.json":                             `{"name": "other", "version": "1.0.0"}`,
		".gemini/extensions/other/.gemini-extension-install.json": `{"source": "HOME/other", "type": "link"}`,
		".gemini/extensions/copy/.gemini-extension-install.json":  `{"source": "HOME/elsewhere", "type": "local"}`,
		".gemini/extensions/copy/gemini-extension.json":           `{"name": "copy", "version": "3"}`,
		".gemini/extensions/lisa/.gemini-extension-install.json":  `{"source": "https://git.example.invalid/o/r", "type": "git", "ref": "plugins/lisa"}`,
		".gemini/extensions/lisa/gemini-extension.json":           `{"name": "lisa", "version": "4"}`,
		".gemini/extensions/lisa/lisa/strategy.json":              `{}`,
		".gemini/extensions/off/.gemini-extension-install.json":   `{"source": "HOME/other", "type": "link"}`,
		".gemini/extensions/odd/.gemini-extension-install.json":   `{"source": 7}`,
		".gemini/extensions/none/README.md":                       "",
		".gemini/extensions/extension-enablement.json":            `{"off": {"overrides": ["HOME/*", "!HOME/plans/"]}, "ned": {"overrides": ["!HOME/plans", "HOME/*"]}}`,
	})
	all, err := geminiHost().Plugins.Installed(r.At)
	must(t, err)
	got := map[string]string{}
	for _, i := range all {
		got[i.ID] = strings.ReplaceAll(filepath.ToSlash(fmt.Sprintf("%s %s %s %t", i.Dir, i.Suite, i.Version, i.On)), filepath.ToSlash(r.At.Home), "")
	}
	want := map[string]string{
		"ned":   "/suite/ned /suite 0.2.0 true",
		"gone":  "/suite/gone /suite  false",
		"other": "/other  1.0.0 true",
		"copy":  "/.gemini/extensions/copy /elsewhere 3 true",
		"lisa":  "/.gemini/extensions/lisa/lisa https://git.example.invalid/o/r 4 true",
		"off":   "/other  1.0.0 false",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("\n%v\n%v", got, want)
	}
}

func TestExtensionIsOn(t *testing.T) {
	for rules, want := range map[string]bool{
		"":                        true,
		"!/home/u/*":              false,
		"!/home/u":                true, // only there, not below
		"!/home/u/moes/":          false,
		"!/home/u/mo*":            true, // no directory
		"!/home/u/* /home/u/moes": true,
		"/home/u/* !/home/u/moes": false,
		"!/*":                     false,
	} {
		if got := isSwitchedOn(strings.Fields(rules), "/home/u/moes"); got != want {
			t.Errorf("%s: %t", rules, got)
		}
	}
}

func TestExtensionEntries(t *testing.T) {
	const record = ".qwen/extensions/ned/.qwen-extension-install.json"
	for what, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"nothing":            {nil, `"HOME/suite/ned/qwen" "link"`},
		"another link":       {map[string]string{record: `{"source": "/old", "type": "link"}`}, `"HOME/suite/ned/qwen" "link"`},
		"a copy":             {map[string]string{record: `{"source": "/old", "type": "local"}`}, "Qwen Code has a copy of ned already: remove it first by qwen extensions uninstall ned"},
		"a copy of its own":  {map[string]string{".qwen/extensions/ned/qwen-extension.json": `{}`}, "Qwen Code has a copy of ned already: remove it first by qwen extensions uninstall ned"},
		"a damaged record":   {map[string]string{record: `{`}, "read HOME/" + record + ": unexpected end of JSON input"},
		"a very long record": {map[string]string{record: strings.Repeat(" ", maxRecord+1)}, "read HOME/" + record + ": larger than 1 MiB"},
	} {
		r := linked(t, qwenHost(), c.files)
		edits, err := r.At.Host.Settings.Entries(context.Background(), r)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var values []json.RawMessage
			for _, e := range edits {
				values = append(values, e.Value)
			}
			got = string(values[0]) + " " + string(values[1])
		}
		if got = strings.ReplaceAll(got, r.At.Home, "HOME"); got != c.want {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// A link is taken away; a copy has to be removed by the host, or it would stay and decide.
func TestExtensionOff(t *testing.T) {
	for kind, want := range map[string]string{
		"link": "", "git": "Qwen Code has a copy of ned, which only its own command removes: qwen extensions uninstall ned",
	} {
		r := linked(t, qwenHost(), map[string]string{".qwen/extensions/ned/.qwen-extension-install.json": `{"source": "/old", "type": "` + kind + `"}`})
		edits, err := r.At.Host.Settings.Off(r)
		if got := fmt.Sprint(err); want == "" && (err != nil || len(edits) != 2) || want != "" && (got != want || edits != nil) {
			t.Errorf("%s: %v, %v", kind, edits, err)
		}
	}
}

func TestExtensionReady(t *testing.T) {
	files := map[string]string{"suite/ned/qwen/qwen-extension.json": `{}`}
	r := linked(t, qwenHost(), files)
	if err := r.CheckFiles(); err == nil || !strings.Contains(filepath.ToSlash(err.Error()), "suite/ned/qwen/hooks/hooks.json") {
		t.Error(err)
	}
	files["suite/ned/qwen/hooks/hooks.json"] = `{}`
	files[".qwen/extensions/extension-enablement.json"] = `{"ned": {"overrides": ["!HOME/*"]}}`
	r = linked(t, qwenHost(), files)
	if err := r.CheckFiles(); err != nil {
		t.Error(err)
	}
	if hand := r.At.Host.Plugins.ByHand(context.Background(), r); len(hand) != 1 || !strings.HasSuffix(hand[0], "qwen extensions enable ned") {
		t.Error(hand)
	}
}

func TestExtensionCheck(t *testing.T) {
	const qwenFile, geminiFile = ".qwen/settings.json", ".gemini/settings.json"
	for _, c := range []struct {
		host     Host
		settings string
		want     string
	}{
		{qwenHost(), `{}`, ""},
		{qwenHost(), `{"disableAllHooks": true}`, "hooks are switched off in Qwen Code, so no plugin decides: disableAllHooks is true"},
		{qwenHost(), `{"disableAllHooks": false, "hooksConfig": {"disabled": 7}}`, ""},
		{geminiHost(), `{"hooksConfig": {"enabled": true, "disabled": ["other"]}}`, ""},
		{geminiHost(), "{ // mine\n\"hooksConfig\": {\"enabled\": false}}", "hooks are switched off in Gemini CLI, so no plugin decides: hooksConfig.enabled is false"},
		{geminiHost(), `{"hooksConfig": {"disabled": ["ned"]}}`, "the hook of ned is switched off in Gemini CLI: hooksConfig.disabled names it"},
		{geminiHost(), `{,}`, "the settings of Gemini CLI cannot be read: line 1, column 2: "},
	} {
		r := linked(t, c.host, map[string]string{qwenFile: c.settings, geminiFile: c.settings})
		says := ""
		for _, f := range c.host.Check(context.Background(), r.At, []Installed{{Name: "ned"}}) {
			says += f.Says
		}
		if says != c.want && !(strings.HasSuffix(c.want, ": ") && strings.HasPrefix(says, c.want)) {
			t.Errorf("%s %s: %q", c.host.Name, c.settings, says)
		}
		if found := c.host.Check(context.Background(), r.At, nil); found != nil {
			t.Errorf("%s: with nothing on: %v", c.host.Name, found)
		}
	}
}
