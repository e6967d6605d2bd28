package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
)

// Every variable of every layer is found where it is set; springfield knows its
// own, as long as they have the value that it gave them.
func TestVariables(t *testing.T) {
	p := newPlaces(t)
	project, local := settingsOf(t, p, client.Project), settingsOf(t, p, client.Local)
	put(t, project, "\ufeff{\r\n  \"env\": {\"A\": \"x\", \"é\": 1,\r\n    \"A\": null},\r\n  \"other\": {\"env\": {\"B\": 1}}\r\n}")
	put(t, local, "{\"env\": \"no object\"}")
	put(t, settingsOf(t, p, client.User), "{\n\"env\":{}}\n")
	plan, err := ReadSettings(p).SetVariable(client.User, client.BlockCap, "12")
	must(t, err)
	must(t, Journal(p).ApplyChange(plan))
	look := func() (all []string) {
		in, err := client.NewSnapshot(p).Inventory()
		must(t, err)
		for _, v := range in.Variables() {
			all = append(all, fmt.Sprintf("%s %s %s=%s %d:%d %t", v.Layer, filepath.Base(v.File), v.Name, v.ValueText(), v.Line, v.Column, ReadSettings(p).HasSetVariable(v)))
		}
		return all
	}
	want := []string{"project settings.json A=x 2:11 false", "project settings.json é=1 2:21 false", "project settings.json A=null 3:5 false",
		"user settings.json " + client.BlockCap + "=12 3:1 false"}
	if got := look(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	enable(t, p, pluginOf(p, "ned-flanders"), client.User, false)
	if plan, err = ReadSettings(p).SetVariable(client.User, client.BlockCap, "13"); err != nil {
		t.Fatal(err)
	}
	must(t, Journal(p).ApplyChange(plan))
	if got, ours := look(), "user settings.json "+client.BlockCap+"=13 3:1 true"; !slices.Contains(got, ours) {
		t.Errorf("%q has no %q", got, ours)
	}
}
