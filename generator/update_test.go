package generator

import (
	"bytes"
	"context"
	"debug/elf"
	"debug/macho"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/journal"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// justOne is an edit of a suite's page.
var justOne = [3]string{"README.md", "Enable one of them.", "Enable just one."}

// twoPlugins are the files of a suite with two plugins.
func twoPlugins(t *testing.T) []File {
	t.Helper()
	spec := specOf(HostTarget())
	second := spec.Plugins[0]
	second.Name = "left-handed"
	spec.Plugins = append(spec.Plugins, second)
	return rendered(t, spec, compiled(HostTarget()))
}

// replaced returns files with edits of PATH, OLD, NEW: the texts of another springfield.
func replaced(t *testing.T, files []File, edits ...[3]string) []File {
	t.Helper()
	files = slices.Clone(files)
	for _, e := range edits {
		i := slices.IndexFunc(files, func(f File) bool { return f.Path == e[0] })
		if i < 0 || !bytes.Contains(files[i].Data, []byte(e[1])) {
			t.Fatalf("%s has no %q", e[0], e[1])
		}
		files[i].Data = bytes.Replace(files[i].Data, []byte(e[1]), []byte(e[2]), 1)
	}
	return files
}

// suiteWith writes files into a new suite and then edits it.
func suiteWith(t *testing.T, files []File, edits ...[3]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "suite")
	_, err := Write(dir, files)
	must(t, err)
	for _, e := range edits {
		edit(t, dir, e)
	}
	return dir
}

func edit(t *testing.T, dir string, e [3]string) {
	t.Helper()
	data := content(t, dir, e[0])
	if !strings.Contains(data, e[1]) {
		t.Fatalf("%s has no %q", e[0], e[1])
	}
	put(t, filepath.Join(dir, e[0]), []byte(strings.Replace(data, e[1], e[2], 1)), 0o644)
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	return string(scratch.ReadFile(t, filepath.Join(dir, name)))
}

// updated updates a suite and returns "path state" for each file.
func updated(t *testing.T, dir string, files []File) []string {
	t.Helper()
	u, err := MakePlan(dir, Updating, files)
	must(t, err)
	before := tree(t, dir)
	if diff := u.Diff(); (diff == "") != !slices.ContainsFunc(u.Outcomes, func(c Outcome) bool { return c.Writes != "" }) || tree(t, dir) != before {
		t.Errorf("the diff is %q, or it has changed something", diff)
	}
	must(t, u.WriteUnjournaled())
	scratch.Equal(t, tree(t, dir) == before, u.IsEmpty(), "it is unchanged")
	var did []string
	for _, c := range u.Outcomes {
		did = append(did, c.Path+" "+string(c.State))
	}
	return did
}

func want(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// An edited file stays, and the new one is written next to it, once.
func TestUpdateKeepsEdits(t *testing.T) {
	now := twoPlugins(t)
	old := replaced(t, now,
		justOne,
		[3]string{"ned-flanders/strategy.json", `  "$schema"`, `  "schema"`},
		[3]string{"left-handed/README.md", "## See why", "## Why"})
	dir := suiteWith(t, old,
		[3]string{"README.md", "Enable just one.", "Enable them all."},
		[3]string{"ned-flanders/strategy.json", `"off": []`, `"off": ["colon"]`},
		[3]string{"left-handed/README.md", "## Why", "## See why"}, // what springfield has now
		[3]string{"CLAUDE.md", "- `springfield.yaml` holds", "- the yaml holds"})
	put(t, filepath.Join(dir, "README.md"+BesideSuffix), old[slices.IndexFunc(old, func(f File) bool { return f.Path == "README.md" })].Data, 0o644) // of an update before
	mine := map[string]string{}
	for _, name := range []string{"README.md", "ned-flanders/strategy.json", "CLAUDE.md"} {
		mine[name] = content(t, dir, name)
	}
	want(t, updated(t, dir, now), "README.md kept", "ned-flanders/strategy.json kept")
	for name, text := range mine {
		scratch.Equal(t, content(t, dir, name), text, name)
	}
	for _, f := range now {
		if name := f.Path + BesideSuffix; mine[f.Path] != "" && f.Path != "CLAUDE.md" && content(t, dir, name) != string(f.Data) {
			t.Errorf("%s has\n%s", name, content(t, dir, name))
		}
	}
	if rooted.IsTaken(filepath.Join(dir, "CLAUDE.md"+BesideSuffix)) ||
		rooted.IsTaken(filepath.Join(dir, "left-handed/README.md"+BesideSuffix)) {
		t.Error("there is a new one beside a file that is as it should be")
	}

	// A new text that the user has edited stays, too, and the text after it is offered until it is gone.
	beside := filepath.Join(dir, "README.md"+BesideSuffix)
	put(t, beside, []byte("half taken over"), 0o644)
	later := replaced(t, now, [3]string{"README.md", "## Use it", "## Use them"})
	for range 2 {
		want(t, updated(t, dir, later), "README.md kept")
		scratch.Equal(t, content(t, dir, "README.md"+BesideSuffix), "half taken over")
	}
	must(t, os.Remove(beside))
	want(t, updated(t, dir, later), "README.md kept")
	scratch.Holds(t, "the later text", content(t, dir, "README.md"+BesideSuffix), "## Use them")

	// A second update writes nothing, but a newer text is written again.
	must(t, os.Remove(filepath.Join(dir, "README.md"+BesideSuffix)))
	want(t, updated(t, dir, later))
	want(t, updated(t, dir, replaced(t, now, [3]string{"README.md", "## Use it", "## Using it"})), "README.md kept")
	scratch.Holds(t, "an old one is beside it", content(t, dir, "README.md"+BesideSuffix), "## Using it")
}

func TestUpdateFollows(t *testing.T) {
	now := twoPlugins(t)
	old := replaced(t, now, justOne)
	old = append(old, File{Path: "ned-flanders/HISTORY.md", Mode: 0o644, Data: []byte("old\n")}, File{Path: "ned-flanders/docs/a.md", Mode: 0o644, Data: []byte("old\n")},
		File{Path: "left-handed/HISTORY.md", Mode: 0o644, Data: []byte("old\n")})
	old = slices.DeleteFunc(old, func(f File) bool { return strings.HasSuffix(f.Path, "commands/log.md") })
	for i, f := range old {
		if f.Compiled {
			old[i].Data = []byte("an older hook")
		}
		if f.Path == "ned-flanders/.claude-plugin/icon.png" {
			old[i].Data = append(slices.Clone(f.Data), "older"...)
		}
	}
	dir := suiteWith(t, old, [3]string{"left-handed/HISTORY.md", "old", "mine"})
	mine := map[string]string{
		".git/config": "mine", ".gitignore": "*.log\n", "x.log": "mine", "ned-flanders/NOTES.md": "mine",
		"left-handed/commands/log.md": "my own",
	}
	for name, data := range mine {
		put(t, filepath.Join(dir, name), []byte(data), 0o600)
	}
	must(t, os.Chmod(filepath.Join(dir, "README.md"), 0o400))
	hook := slices.IndexFunc(now, func(f File) bool { return f.Compiled && strings.HasPrefix(f.Path, "ned") })
	want(t, updated(t, dir, now),
		"README.md followed", "ned-flanders/.claude-plugin/icon.png followed", "ned-flanders/commands/log.md added", "left-handed/commands/log.md kept",
		now[hook].Path+" rebuilt", strings.Replace(now[hook].Path, "ned-flanders", "left-handed", 1)+" rebuilt",
		"ned-flanders/HISTORY.md removed", "ned-flanders/docs/a.md removed", "left-handed/HISTORY.md orphaned")
	scratch.ErrorIf(t, rooted.IsTaken(filepath.Join(dir, "ned-flanders/docs")), "an empty directory is left")
	mine["left-handed/HISTORY.md"] = "mine\n"
	for name, data := range mine {
		scratch.Equal(t, content(t, dir, name), data, name)
	}
	scratch.Equal(t, scratch.ModeOf(t, filepath.Join(dir, "README.md")), 0o400, "the read-only file")
	checkNoStray(t, dir)
	want(t, updated(t, dir, now))
}

// Deleted files stay deleted; hooks come back as long as their plugin exists.
func TestUpdateLeavesDeletedFilesDeleted(t *testing.T) {
	now := twoPlugins(t)
	dir := suiteWith(t, replaced(t, now, justOne))
	hook := ""
	for _, f := range now {
		if f.Compiled && strings.HasPrefix(f.Path, "ned-flanders/") {
			hook = f.Path
		}
	}
	var gone []string
	for _, name := range []string{"README.md", "ned-flanders/commands/hold.md", hook} {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	must(t, os.RemoveAll(filepath.Join(dir, "left-handed")))
	for _, f := range now {
		if strings.HasPrefix(f.Path, "left-handed/") {
			gone = append(gone, f.Path+" deleted")
		}
	}
	gone = append(gone, "README.md deleted", "ned-flanders/commands/hold.md deleted")
	want(t, updated(t, dir, now), append(slices.Clone(gone), hook+" rebuilt")...)
	want(t, updated(t, dir, now), gone...)
	if rooted.IsTaken(filepath.Join(dir, "README.md")) || rooted.IsTaken(filepath.Join(dir, "left-handed")) {
		t.Error("something deleted came back")
	}
	// init restores deleted files.
	_, err := Write(dir, now)
	must(t, err)
	want(t, updated(t, dir, now))
}

// CRLF, in the record too, is no edit, and new text gets the same line ends.
func TestUpdateKeepsLineEnds(t *testing.T) {
	now := twoPlugins(t)
	old := replaced(t, now, justOne,
		[3]string{"ned-flanders/strategy.json", `  "$schema"`, `  "schema"`})
	dir := suiteWith(t, old, [3]string{"ned-flanders/strategy.json", `"off": []`, `"off": ["colon"]`})
	for _, f := range append(slices.Clone(old), File{Path: RecordFile}) {
		if data := content(t, dir, f.Path); !f.Compiled && filepath.Ext(f.Path) != ".png" {
			put(t, filepath.Join(dir, f.Path), []byte(strings.ReplaceAll(data, "\n", "\r\n")), 0o644)
		}
	}
	if p, err := Write(dir, old); err != nil || !slices.Equal(p.Paths(Kept), []string{"ned-flanders/strategy.json"}) {
		t.Errorf("init: %v, %v", p.Outcomes, err)
	}
	newer := compiled(HostTarget())
	newer.Go = "go1.99"
	spec := specOf(HostTarget())
	spec.Plugins = append(spec.Plugins, spec.Plugins[0])
	spec.Plugins[1].Name = "left-handed"
	yaml, err := Suite{Spec: spec, Build: newer}.encodeYAML()
	must(t, err)
	now[len(now)-1].Data = yaml
	want(t, updated(t, dir, now), "README.md followed", "ned-flanders/strategy.json kept", "springfield.yaml followed")
	for _, name := range []string{"README.md", "ned-flanders/strategy.json", "springfield.yaml"} {
		if got := content(t, dir, name); strings.Count(got, "\n") != strings.Count(got, "\r\n") || strings.Contains(got, "\r\r") {
			t.Errorf("%s has other line ends:\n%q", name, got)
		}
	}
	want(t, updated(t, dir, now))
}

// Without a record, files that differ are kept, with the new ones next to them, and a record is written.
func TestUpdateWithoutARecord(t *testing.T) {
	now := twoPlugins(t)
	dir := suiteWith(t, now, justOne)
	must(t, os.RemoveAll(filepath.Join(dir, ".springfield")))
	must(t, os.Remove(filepath.Join(dir, "CLAUDE.md")))
	want(t, updated(t, dir, now), "README.md kept", "CLAUDE.md added")
	scratch.Holds(t, "the edit is gone", content(t, dir, "README.md"), "just one")
	want(t, updated(t, dir, now))

	// Nothing differs, only the record is missing: it is written.
	dir = suiteWith(t, now)
	before := tree(t, dir)
	must(t, os.RemoveAll(filepath.Join(dir, ".springfield")))
	want(t, updated(t, dir, now))
	scratch.Equal(t, tree(t, dir), before, "the suite")
}

// init keeps edited files with their records, so that update still recognises the edits.
func TestWriteKeepsTheRecordOfWhatItKeeps(t *testing.T) {
	now := twoPlugins(t)
	dir := suiteWith(t, replaced(t, now, justOne, [3]string{"CLAUDE.md", "## For a memory file", "## Memory"}),
		[3]string{"README.md", "## What is in here", "## Contents"})
	if p, err := Write(dir, now); err != nil || !slices.Equal(p.Paths(Kept), []string{"README.md"}) {
		t.Fatalf("%v, %v", p.Outcomes, err)
	}
	want(t, updated(t, dir, now), "README.md kept")
}

// Edited answers take effect; comments and unknown members stay, defaults are filled in.
func TestUpdateFollowsTheAnswers(t *testing.T) {
	dir := suiteWith(t, twoPlugins(t))
	file := filepath.Join(dir, SuiteFile)
	const answers = `# ours
marketplace: evergreen-terrace # never change
owner: {name: Homer}
targets: [%s]

# one of two is enough
plugins:
- name: ned-flanders # the best
  strategy: ned-flanders
  version: 1.0.0
ours: {a: 1}
`
	put(t, file, fmt.Appendf(nil, answers, HostTarget()), 0o644)
	suite, err := ReadSuite(dir)
	must(t, err)
	files := rendered(t, suite.Spec, compiled(HostTarget()))
	did := updated(t, dir, files)
	for _, what := range []string{"springfield.yaml followed", "left-handed/README.md removed", "ned-flanders/.claude-plugin/plugin.json followed", ".claude-plugin/marketplace.json followed"} {
		if !slices.Contains(did, what) {
			t.Errorf("not %s, but\n%s", what, strings.Join(did, "\n"))
		}
	}
	if got := content(t, dir, SuiteFile); !strings.HasPrefix(got, fmt.Sprintf(answers, HostTarget())+"\nbuild:\n") {
		t.Errorf("got\n%s", got)
	}
	scratch.Holds(t, "the old version", content(t, dir, "ned-flanders/.claude-plugin/plugin.json"), `"version": "1.0.0"`)
	if rooted.IsTaken(filepath.Join(dir, "left-handed")) {
		t.Error("the other plugin's directory is left")
	}
	want(t, updated(t, dir, files))

	// A file in one line is replaced and kept as a comment.
	put(t, file, []byte(`{marketplace: evergreen-terrace, owner: {name: Homer}, targets: [`+HostTarget().String()+`]`+
		`, plugins: [{name: ned-flanders, strategy: ned-flanders, version: 1.0.0}]} # mine`), 0o644)
	want(t, updated(t, dir, files), "springfield.yaml followed")
	if got := content(t, dir, SuiteFile); !strings.Contains(got, "# {marketplace: ") || !strings.Contains(got, "# mine") {
		t.Errorf("got\n%s", got)
	}
	want(t, updated(t, dir, files))
}

// A failed step rolls back everything.
func TestUpdateIsAllOrNothing(t *testing.T) {
	now := twoPlugins(t)
	old := append(replaced(t, now, justOne, [3]string{"ned-flanders/README.md", "Hi-diddly-ho, neighbor!", "Hello."}),
		File{Path: "left-handed/old/HISTORY.md", Mode: 0o644, Data: []byte("old\n")})
	dir := suiteWith(t, old)
	u, err := MakePlan(dir, Updating, now)
	must(t, err)
	before := tree(t, dir)
	// A directory in a file's place is never moved.
	for _, blocked := range []string{"README.md/below", "ned-flanders/commands"} {
		broken, to := u, filepath.Join(dir, filepath.FromSlash(blocked))
		broken.Edits = append(slices.Clone(u.Edits), journal.Edit{In: dir, Path: to, After: &journal.Content{}})
		scratch.ErrorIf(t, broken.WriteUnjournaled() == nil, "%s: no error", blocked)
		scratch.Equal(t, tree(t, dir), before, blocked)
	}
	put(t, filepath.Join(dir, "README.md"), []byte("mine"), 0o644)
	before = tree(t, dir)
	scratch.ErrorIs(t, u.WriteUnjournaled(), journal.ErrChanged)
	scratch.Equal(t, tree(t, dir), before)
	checkNoStray(t, dir)
}

// A link counts as edited. One that leads out of the suite is not followed.
func TestUpdateAndLinks(t *testing.T) {
	now := twoPlugins(t)
	dir := suiteWith(t, replaced(t, now, justOne))
	elsewhere := filepath.Join(t.TempDir(), "README.md")
	must(t, os.Rename(filepath.Join(dir, "README.md"), elsewhere))
	must(t, os.Symlink(elsewhere, filepath.Join(dir, "README.md")))
	want(t, updated(t, dir, now), "README.md kept")
	if to, err := os.Readlink(filepath.Join(dir, "README.md")); err != nil || to != elsewhere {
		t.Errorf("%q, %v", to, err)
	}
	outside := filepath.Join(t.TempDir(), "ned")
	must(t, os.Rename(filepath.Join(dir, "ned-flanders"), outside))
	must(t, os.Symlink(outside, filepath.Join(dir, "ned-flanders")))
	if _, err := MakePlan(dir, Updating, now); err == nil || !strings.Contains(err.Error(), "ned-flanders") {
		t.Errorf("%v", err)
	}
}

// Programs follow the targets, and a rebuilt suite equals a new one.
func TestRebuild(t *testing.T) {
	linux, mac := Target{"linux", "amd64"}, Target{"darwin", "arm64"}
	both, one := suiteOf(t, []string{"lisa-simpson"}, linux, mac), suiteOf(t, []string{"lisa-simpson"}, linux)
	dir := suiteWith(t, rendered(t, both, compiledFor(both)))
	files := rendered(t, one, compiledFor(one))
	r, err := MakePlan(dir, Building, files)
	must(t, err)
	changed, removed := r.Paths(Rebuilt, Followed), r.Paths(Removed)
	if len(removed) != 4 || !slices.Contains(removed, "lisa-simpson/hooks/darwin-arm64/springfield-judge") || !slices.Contains(changed, "lisa-simpson/hooks/springfield-judge") {
		t.Errorf("changes %v, removes %v", changed, removed)
	}
	must(t, r.WriteUnjournaled())
	scratch.Equal(t, tree(t, dir), tree(t, suiteWith(t, files)))
	if r, err = MakePlan(dir, Building, files); err != nil || !r.IsEmpty() {
		t.Errorf("again it would change %v, %v", r.Outcomes, err)
	}
}

// macOS aborts a program without LC_UUID and, on arm64, kills an unsigned one.
func TestHooksForOtherSystems(t *testing.T) {
	var binaries []Binary
	// A judge needs the network packages, which are slow to compile for another system.
	for program, of := range map[Program]int{Hook: 4, Judge: 12} {
		some := slices.DeleteFunc(AllTargets(),
			func(other Target) bool { return other != HostTarget() && scratch.Skipped(of) })
		built, err := toolchain(t).BuildPrograms(context.Background(), some, program)
		must(t, err)
		binaries = append(binaries, built.Binaries...)
	}
	for _, b := range binaries {
		t.Run(b.Program.ShortName()+"-"+b.Target.OS+"-"+b.Target.Arch, func(t *testing.T) {
			if got, err := targetIn(bytes.NewReader(b.Data)); err != nil || got != b.Target {
				t.Errorf("it is compiled for %s, %v", got, err)
			}
			if size, most := len(b.Data), map[Program]int{Hook: 19 << 18, Judge: 10 << 20}[b.Program]; size > most {
				t.Errorf("%d bytes, more than %d", size, most)
			}
			if check := map[string]func([]byte) error{"linux": checkELF, "darwin": checkMachO}[b.Target.OS]; check != nil {
				must(t, check(b.Data))
			}
		})
	}
}

// checkELF checks that a program is static.
func checkELF(data []byte) error {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("it has %s, so it is not static", p.Type)
		}
	}
	return nil
}

func checkMachO(data []byte) error {
	f, err := macho.NewFile(bytes.NewReader(data))
	if err != nil {
		return err
	}
	const uuid, codeSignature, requirement = 0x1b, 0x1d, 0x32 // LC_UUID, LC_CODE_SIGNATURE, LC_BUILD_VERSION
	loads := map[uint32][]byte{}
	for _, l := range f.Loads {
		raw := l.Raw()
		loads[f.ByteOrder.Uint32(raw)] = raw
	}
	if id := loads[uuid]; len(id) != 24 || bytes.Equal(id[8:], make([]byte, 16)) {
		return fmt.Errorf("LC_UUID is % x", id)
	}
	if loads[requirement] == nil {
		return fmt.Errorf("there is no LC_BUILD_VERSION")
	}
	if loads[codeSignature] == nil && f.Cpu == macho.CpuArm64 {
		return fmt.Errorf("it is not signed")
	}
	return nil
}
