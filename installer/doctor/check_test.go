package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/installer/settings"
	"github.com/cameronsjo/springfield/internal/journal"
)

// Advice that can be followed: what an administrator or a directory switches on
// is in no scope that disable knows.
func TestDoctorAdvisesWhatCanBeTyped(t *testing.T) {
	home := t.TempDir()
	in := &Inspection{Request: Request{Places: client.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, "plugins"), Work: home, Root: home}}}
	in.settings = settings.ReadSettings(in.Places)
	for decides, want := range map[string]string{
		"user":    "springfield disable ned-flanders@hooks --scope user",
		"project": "springfield disable ned-flanders@hooks --scope project",
		"managed": "only an administrator can switch it off",
		"":        "springfield disable ned-flanders@hooks --scope user",
	} {
		s := client.Switched{Installed: client.Installed{ID: "ned-flanders@hooks", Name: "ned-flanders", Marketplace: "hooks", Problem: "gone"}, On: true, Decides: decides}
		if got := in.notRunning(s).Fix; got != want {
			t.Errorf("%q decides: %q, want %q", decides, got, want)
		}
	}
}

// must ends a test that cannot go on.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Between doctor's look and its repair another springfield may have made an
// edit, which is whole: it is not taken back for the one that was cut off.
func TestDoctorTakesBackOnlyWhatWasCutOff(t *testing.T) {
	home := t.TempDir()
	places := client.Places{Config: filepath.Join(home, ".claude"), Plugins: filepath.Join(home, "plugins"), Work: filepath.Join(home, "work"), Root: filepath.Join(home, "work")}
	apply := func(plan journal.Change, err error) {
		t.Helper()
		must(t, err)
		must(t, settings.Journal(places).ApplyChange(plan))
	}
	suite := filepath.Join(home, "hooks")
	apply(settings.ReadSettings(places).PlanEnable(settings.EnableRequest{Plugin: client.Plugin{Name: "ned-flanders", Marketplace: "hooks", Suite: suite}, Scope: client.Project, Declare: true}))
	// As a kill between the two files leaves it.
	entry := filepath.Join(places.Config, "springfield", "journal", "00000001")
	must(t, os.Rename(entry+".json", entry+".open"))
	must(t, os.RemoveAll(filepath.Join(places.Work, ".claude")))
	must(t, os.MkdirAll(filepath.Join(places.Work, ".claude"), 0o755))
	found := (&Inspection{Request: Request{Places: places}}).checkSettings()
	if len(found) != 1 || found[0].Mend == nil {
		t.Fatalf("%+v", found)
	}
	apply(settings.ReadSettings(places).SetVariable(client.Local, "A", "1"))
	if err := found[0].Mend(t.Context()); err == nil {
		t.Error("another edit was taken back")
	}
	if data, err := os.ReadFile(filepath.Join(places.Work, ".claude", "settings.local.json")); err != nil || !strings.Contains(string(data), `"A"`) {
		t.Errorf("%s, %v", data, err)
	}
}
