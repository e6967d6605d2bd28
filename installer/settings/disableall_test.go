package settings

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// The purge removes every state file in the docs that is not the user's.
func TestStateThatThePurgeKnows(t *testing.T) {
	text := scratch.ReadFile(t, "../../docs/files.md")
	_, text2, _ := strings.Cut(string(text), "\n## State\n")
	list, _, _ := strings.Cut(text2, "\n### ")
	own := map[string]bool{"PLUGIN.json": true, "settings.json": true, "loops": true}
	seen := 0
	for _, item := range strings.Split(list, "\n- `")[1:] {
		first, _, _ := strings.Cut(item, ": ")
		for _, name := range regexp.MustCompile("[A-Za-z*][-A-Za-z.*/]*").FindAllString(first, 1) {
			name, _, _ = strings.Cut(name, "/")
			seen++
			if isState(name) == own[name] {
				t.Errorf("%s: the purge removes it: %v", name, isState(name))
			}
		}
	}
	scratch.ErrorIf(t, seen < 13, "the docs name %d files", seen)
}

// The purge removes springfield's files by name and quotes the others for a shell.
func TestStateThatIsTheUsers(t *testing.T) {
	p := newPlaces(t)
	p.Config = filepath.Join(p.Home, "my own")
	for _, name := range []string{"hold", "journal/00000001.json", ".ned-flanders.json.springfield-ab12.tmp", "rules.new/x", "notes.lock", "holds.jsonl.of-last-year", "ned-flanders.json"} {
		put(t, p.StatePath(name), "x")
	}
	removed, left, err := RemoveState(p)
	if err != nil || len(removed) != 3 || len(left) != 5 {
		t.Errorf("removed %v, left %v, %v", removed, left, err)
	}
	scratch.Equal(t, left[4].Remove, "rmdir '"+p.StatePath()+"'", "the directory")
	for _, l := range left[:4] {
		flag := map[bool]string{true: "-r "}[strings.Contains(l.Remove, "rules.new")] // a directory
		if !strings.HasPrefix(l.Remove, "rm "+flag+"'"+p.StatePath()) || !strings.HasSuffix(l.Remove, "'") {
			t.Errorf("%q", l.Remove)
		}
	}
	scratch.Equal(t, look(t, p.StatePath("rules.new", "x")), "x", "rules.new")
}

// Nothing is changed behind a link, which is reported, and a damaged memory is an error.
func TestDisableAllLeavesWhatItDoesNotKnow(t *testing.T) {
	p := newPlaces(t)
	scratch.PutPlugin(t, filepath.Join(p.Work, "hooks", "ned-flanders"), "ned-flanders", "1.0.0")
	put(t, filepath.Join(p.Work, "hooks", ".claude-plugin", "marketplace.json"), `{"name": "hooks", "owner": {"name": "Ned"}, "plugins": [{"name": "ned-flanders", "source": "./ned-flanders"}]}`)
	const theirs = `{"enabledPlugins": {"ned-flanders@hooks": true}}`
	project := p.Settings(client.Project)
	enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
	kept := look(t, project)
	victim := filepath.Join(p.Home, "other", ".claude")
	put(t, filepath.Join(victim, "settings.json"), theirs)
	must(t, os.RemoveAll(filepath.Dir(project)))
	link(t, victim, filepath.Dir(project))
	elsewhere := p
	elsewhere.Work, elsewhere.Root = p.Home, p.Home
	for _, purge := range []bool{false, true} {
		c, _, left, err := NewSettings(elsewhere).PlanDisableAll(purge)
		if err != nil || len(left) != 1 || !strings.Contains(left[0].What, victim) || !strings.Contains(left[0].Remove, "enabledPlugins.ned-flanders@hooks") {
			t.Errorf("%+v, %v", left, err)
		}
		for _, e := range c.Edits {
			scratch.ErrorIf(t, !e.State && strings.Contains(e.At, "other"), "%s is edited", e.At)
		}
	}
	must(t, os.Remove(filepath.Dir(project)))
	put(t, project, kept)
	all, err := os.ReadDir(p.StatePath("edits"))
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	put(t, memoryFile(p, project), "{")
	_, _, _, err = NewSettings(elsewhere).PlanDisableAll(true)
	if damaged := (*journal.DamagedError)(nil); !errors.As(err, &damaged) {
		t.Errorf("with a damaged memory: %v", err)
	}
}
