// Verifying: whether what a plugin starts is what this springfield makes. Its programs are
// compared byte for byte, by their SHA-256, with those that the CLI carries compiled, or
// with programs compiled anew from the sources that it carries. springfield.yaml lies beside
// the programs, so a person who changes one can change both: it never makes a program a
// verified one, it only explains one that is not.
//
// The plugin may come from a stranger: its files are only read, through folder, within
// bounds, and nothing of it is started.

package generator

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/folder"
	"github.com/cameronsjo/springfield/internal/layout"
	hookruntime "github.com/cameronsjo/springfield/runtime"
)

// maxProgram bounds a program of a plugin that is verified, in bytes: several times one of ours.
const maxProgram = 32 << 20

// What is told of a plugin is about one of these.
const (
	programArea = "programs"
	textArea    = "texts"
)

// maxVersion bounds what a program says of its Go, in bytes.
const maxVersion = 64

// Verifier compares plugins with what this springfield makes.
type Verifier struct {
	Toolchain
	FromSource bool // compile, also where compiled programs are carried
}

// Verified is what was found in one plugin. A failure is something that is started and is
// not what this springfield makes; a warning is something of which that cannot be told.
type Verified struct {
	Name  string          `json:"name"`
	Dir   string          `json:"dir,omitempty"`
	Found []check.Finding `json:"checks"`
}

// Subject is a plugin in a directory.
type Subject struct {
	Name  string // as it is told
	Dir   string
	Suite string // that it lies in, "" if it is a copy, or stands alone
	// Catalog is the directory of the marketplace that offers it, "" if that is not at hand.
	Catalog     string
	CatalogFile string          // its catalog in there, with slashes; "": where most agents look for it
	found       []check.Finding // already, of a suite besides its plugins
}

// Subjects are the plugins of a directory: a suite, or one plugin. The error is
// ErrNoSuite if it is neither.
func Subjects(dir string) ([]Subject, error) {
	suite, err := ReadSuite(dir)
	if err == nil {
		var all []Subject
		for _, p := range suite.Plugins {
			all = append(all, Subject{Name: p.Name, Dir: filepath.Join(dir, p.Name), Suite: dir, Catalog: dir})
		}
		if found := besides(dir, suite); len(found) > 0 {
			all = append(all, Subject{Name: suite.Marketplace, Dir: dir, found: found})
		}
		return all, nil
	}
	if !errors.Is(err, ErrNoSuite) || !exists(filepath.Join(dir, "hooks")) {
		return nil, err
	}
	alone := Subject{Name: filepath.Base(dir), Dir: dir}
	if around, err := ReadSuite(filepath.Dir(dir)); err == nil && slices.ContainsFunc(around.Plugins, func(p Plugin) bool { return p.Name == alone.Name }) {
		alone.Suite, alone.Catalog = filepath.Dir(dir), filepath.Dir(dir)
	}
	return []Subject{alone}, nil
}

// reference is what this springfield makes: builds from the sources that it carries, with
// one Go or two.
type reference struct {
	source string
	builds []Build
	why    string // what keeps more from being made, "" if nothing
}

// sumOf is the checksum of a program as a Go makes it, "" if it was not made.
func (r reference) sumOf(program Program, t Target, with string) string {
	for _, b := range r.builds {
		if b.Go == with {
			return b.Recorded(program, t)
		}
	}
	return ""
}

// find tells what a checksum is of; not ok if this springfield makes no such program.
func (r reference) find(sum string) (program Program, t Target, ok bool) {
	for _, b := range r.builds {
		for _, one := range unbuilt(AllTargets(), []Program{Hook, Judge}) {
			if b.Recorded(one.Program, one.Target) == sum {
				return one.Program, one.Target, true
			}
		}
	}
	return "", Target{}, false
}

// versions are those of Go that a program was made with.
func (r reference) versions(program Program, t Target) (all []string) {
	for _, b := range r.builds {
		if b.Recorded(program, t) != "" {
			all = append(all, b.Go)
		}
	}
	return all
}

// specimen is a program as it lies in a plugin.
type specimen struct {
	file     string // relative to the plugin
	program  Program
	target   Target // that its place is for
	sum      string
	of       Program // that it says to be, "" if it is none of ours
	with     string  // the version of Go that it says
	compiled string  // the machine that it is compiled for, "" if it is no program
	fault    string  // why it is not read
}

// Verify compares plugins. The error is about comparing at all.
func (v Verifier) Verify(ctx context.Context, subjects []Subject) ([]Verified, error) {
	var all []*verification
	var wanted []specimen
	for _, s := range subjects {
		if ctx.Err() != nil {
			return nil, ctx.Err() // a suite can have very many plugins
		}
		one, err := examine(s)
		if err != nil {
			return nil, err
		}
		all, wanted = append(all, one), append(wanted, one.programs...)
	}
	made, err := v.reference(ctx, wanted)
	if err != nil {
		return nil, err
	}
	var verified []Verified
	for _, one := range all {
		verified = append(verified, one.judge(made))
	}
	return verified, ctx.Err()
}

// reference makes what some programs are compared with: what is carried, and what is
// compiled here where that is asked for, or says more.
func (v Verifier) reference(ctx context.Context, wanted []specimen) (reference, error) {
	_, source, err := sources()
	if err != nil {
		return reference{}, err
	}
	made := reference{source: source}
	if !v.FromSource {
		carried, err := ReadCarried(v.Prebuilt)
		if err != nil {
			return reference{}, err
		}
		if carried != nil && carried.Source == source {
			made.builds = append(made.builds, Build{Source: source, Go: carried.Go, SHA256: carried.SHA256, Judge: carried.Judge})
		}
	}
	missing := slices.DeleteFunc(slices.Clone(wanted), func(s specimen) bool {
		return s.fault != "" || s.of == "" || made.sumOf(s.program, s.target, s.with) != ""
	})
	if len(missing) == 0 {
		return made, nil
	}
	return v.compileFor(ctx, made, missing)
}

// compileFor adds what the go command here makes, if that can have made what is missing.
func (v Verifier) compileFor(ctx context.Context, made reference, missing []specimen) (reference, error) {
	has, err := v.goVersion(ctx)
	switch {
	case errors.Is(err, ErrNoGo):
		made.why = "there is no go command on PATH to compile them with"
		return made, nil
	case err != nil:
		return made, err
	}
	missing = slices.DeleteFunc(missing, func(s specimen) bool { return s.with != has || !slices.Contains(AllTargets(), s.target) })
	if len(missing) == 0 {
		made.why = "the go command on PATH is " + has
		return made, nil
	}
	var targets []Target
	programs := []Program{Hook}
	for _, s := range missing {
		if !slices.Contains(targets, s.target) {
			targets = append(targets, s.target)
		}
		if !slices.Contains(programs, s.program) {
			programs = append(programs, s.program)
		}
	}
	tools := v.Toolchain
	tools.Builder = WithGo
	if v.FromSource {
		tools.Cache = "" // what was kept is not compiled now
	}
	built, err := tools.Build(ctx, targets, programs...)
	if err != nil {
		return made, err
	}
	built.Binaries = nil
	made.builds = append(made.builds, built)
	return made, nil
}

// goVersion is the version of the go command on PATH, or ErrNoGo.
func (t Toolchain) goVersion(ctx context.Context) (version string, err error) {
	goCommand, err := lookPath("go", t.Path)
	if err != nil {
		return "", ErrNoGo
	}
	stage, err := makeStage()
	if err != nil {
		return "", fmt.Errorf("ask go for its version: %w", err)
	}
	defer func() { err = errors.Join(err, removeStage(stage)) }()
	out, err := t.run(ctx, stage, goCommand, nil, "env", "GOVERSION")
	return strings.TrimSpace(string(out)), err
}

// verification is one plugin while it is verified.
type verification struct {
	Subject
	in       folder.Folder
	plugin   Plugin
	record   *Suite // nil if none is beside it
	programs []specimen
	launcher []byte          // nil if the hook is started without
	within   string          // a directory of the plugin that is looked at by itself
	compared int             // texts that say what is started
	texts    []check.Finding // of them, as if the plugin were of this springfield
	found    []check.Finding
}

// programsIn are the programs of a plugin, where a build can have put them.
func (v *verification) programsIn() (all []specimen) {
	for _, p := range []Program{Hook, Judge} {
		for _, place := range hookPlaces(p) {
			if _, err := v.in.Lstat(place); errors.Is(err, fs.ErrNotExist) {
				continue
			}
			s := specimen{file: place, program: p}
			data, _, err := v.in.ReadFile(place, maxProgram)
			if err != nil {
				s.fault = inPlugin(err)
				all = append(all, s)
				continue
			}
			if place == Hook.place(Target{}, false) && bytes.HasPrefix(data, []byte("#!")) {
				v.launcher = data
				continue
			}
			s.target = placeTarget(place)
			s.read(data)
			all = append(all, s)
		}
	}
	return all
}

// placeTarget is what a place is for, as far as it says: "hooks/linux-arm64/…" all, ".exe" the
// system.
func placeTarget(place string) Target {
	for _, t := range AllTargets() {
		if path.Base(path.Dir(place)) == t.OS+"-"+t.Arch {
			return t
		}
	}
	if path.Ext(place) == ".exe" {
		return Target{OS: "windows"}
	}
	return Target{}
}

// read takes what a program says of itself.
func (s *specimen) read(data []byte) {
	s.sum = sum(data)
	compiled, err := targetIn(bytes.NewReader(data))
	if err != nil {
		return
	}
	s.compiled = compiled.String()
	if s.target.Arch == "" && (s.target.OS == "" || s.target.OS == compiled.OS) {
		s.target = compiled // its place does not say
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return
	}
	for _, p := range []Program{Hook, Judge} {
		if info.Path == hookruntime.Module+"/runtime/"+string(p) && len(info.GoVersion) < maxVersion {
			s.of, s.with = p, info.GoVersion
		}
	}
}

// inPlugin is why a file of a plugin is not read, without its path.
func inPlugin(err error) string {
	var link *folder.LinkError
	if errors.As(err, &link) {
		return "a link; springfield follows none in a plugin"
	}
	return "not readable: " + cause(err).Error()
}

// judge compares what was read of a plugin with what this springfield makes.
func (v *verification) judge(made reference) Verified {
	if len(v.found) > 0 { // it could not be read
		return Verified{v.Name, v.Dir, v.found}
	}
	same := v.record != nil && v.record.Build.Source == made.source
	sums, right := map[string]string{}, []string{}
	for _, s := range v.programs {
		state, says := made.judgeProgram(s, v.record)
		if state == check.Fine {
			same = true
			sums[s.file] = s.sum
			right = append(right, s.program.Short()+" for "+s.target.String())
			continue
		}
		f := v.finding(programArea, s.file, state, says)
		f.Fix = v.fixFor(state, s, made)
		if s.sum != "" {
			f.SHA256 = map[string]string{s.file: s.sum}
		}
		v.found = append(v.found, f)
	}
	v.lookForMissing()
	v.lookAtStarter()
	for _, f := range v.texts {
		if f.State == check.Failure && !same {
			f.State = check.Warning // another springfield may have made it so
		}
		v.found = append(v.found, f)
	}
	if len(right) > 0 {
		f := check.OK("what this springfield makes: " + strings.Join(right, ", "))
		f.Check, f.SHA256 = programArea, sums
		v.found = append([]check.Finding{f}, v.found...)
	}
	if len(v.texts) == 0 {
		f := check.OK(fmt.Sprintf("as this springfield makes them: %s that say what agents start", layout.Count(v.compared, "file")))
		f.Check = textArea
		v.found = append(v.found, f)
	}
	return Verified{v.Name, v.Dir, v.found}
}

// lookForMissing tells programs that the plugin has to have.
func (v *verification) lookForMissing() {
	has := func(file string) bool {
		return file == Hook.place(Target{}, true) || slices.ContainsFunc(v.programs, func(s specimen) bool { return s.file == file })
	}
	if v.record == nil {
		if !slices.ContainsFunc(v.programs, func(s specimen) bool { return s.program == Hook }) {
			v.say(check.Failure, "hooks", "it has no hook")
		}
		return
	}
	for _, l := range v.record.hookFiles(v.plugin, Unbuilt(v.record.Spec).Binaries, nil) {
		if l.target != (Target{}) && !has(l.Path) || l.target == (Target{}) && v.launcher == nil {
			f := v.finding(programArea, l.Path, check.Failure, "missing")
			f.Fix = "springfield build " + check.Quote(v.Suite)
			v.found = append(v.found, f)
		}
	}
}

// lookAtStarter compares the launcher with the one that is made.
func (v *verification) lookAtStarter() {
	if v.launcher == nil {
		return
	}
	made, err := render("shared/launcher/springfield-hook.tmpl", nil)
	text, _ := plain(v.launcher)
	var says string
	switch {
	case err != nil:
		says = err.Error()
	case bytes.Equal(v.launcher, made):
		v.compared++
		return
	case text == string(made):
		says = "its line ends are those of Windows, with which no shell starts it"
	default:
		says = "not the launcher that this springfield makes; besides that it has " + quoteAll(without(strings.Split(text, "\n"), strings.Split(string(made), "\n")))
	}
	f := v.finding(textArea, Hook.place(Target{}, false), check.Failure, says)
	if v.Suite != "" {
		f.Fix = "springfield build " + check.Quote(v.Suite)
	}
	v.texts = append(v.texts, f)
}

// short is the beginning of a checksum, for people.
func short(sum string) string {
	if len(sum) > 12 {
		return sum[:12] + "…"
	}
	return sum
}
