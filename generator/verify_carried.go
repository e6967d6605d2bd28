// Verifying what the CLI itself carries.

package generator

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cameronsjo/springfield/check"
	"github.com/cameronsjo/springfield/internal/layout"
)

// VerifyCarried compares the compiled programs that the CLI carries with their manifest, and
// FromSource with programs compiled anew.
func (v Verifier) VerifyCarried(ctx context.Context) (check.Finding, error) {
	carried, err := ReadCarried(v.Prebuilt)
	if err != nil {
		return check.Finding{}, err
	}
	source, err := SourceHash()
	switch {
	case err != nil:
		return check.Finding{}, err
	case carried == nil:
		return check.Noted("it carries no compiled hooks: it compiles them, with Go, from sources of its own ("+short(source)+")", ""), nil
	case carried.Source != source:
		return check.Noted(fmt.Sprintf("the compiled hooks that it carries are of other sources (%s) than it carries (%s), so they are not used", short(carried.Source), short(source)), ""), nil
	}
	targets, programs := carried.contents()
	has, err := readPrebuilt(v.Prebuilt, source, targets, programs)
	if err != nil {
		return check.Fail(err.Error(), "install springfield again"), nil
	}
	says := fmt.Sprintf("the %s that it carries", layout.Count(len(has.Binaries), "compiled program"))
	f := check.OK(says + " are what its manifest says; --source compiles them again")
	if v.FromSource {
		f, err = v.recompile(ctx, *carried, says)
	}
	f.SHA256 = map[string]string{}
	for _, b := range has.Binaries {
		f.SHA256[b.Program.Short()+" "+b.Target.String()] = has.Recorded(b.Program, b.Target)
	}
	return f, err
}

// contents are the machines and programs that are carried.
func (c Carried) contents() (targets []Target, programs []Program) {
	for _, t := range AllTargets() {
		if c.SHA256[t.String()] != "" {
			targets = append(targets, t)
		}
	}
	if len(c.Judge) > 0 {
		return targets, []Program{Hook, Judge}
	}
	return targets, []Program{Hook}
}

// recompile compares what is carried with what the go command on PATH makes of the sources.
func (v Verifier) recompile(ctx context.Context, carried Carried, says string) (check.Finding, error) {
	fix := "put " + carried.Go + " in front on PATH, and verify it again"
	switch has, err := v.goVersion(ctx); {
	case errors.Is(err, ErrNoGo):
		return check.Warn(fmt.Sprintf("%s were compiled with %s, and there is no go command on PATH to compile them again", says, carried.Go), fix), nil
	case err != nil:
		return check.Finding{}, err
	case has != carried.Go:
		return check.Warn(fmt.Sprintf("%s were compiled with %s, and the go command on PATH is %s, which makes other bytes", says, carried.Go, has), fix), nil
	}
	tools := v.Toolchain
	tools.Builder, tools.Cache = WithGo, ""
	targets, programs := carried.contents()
	made, err := tools.Build(ctx, targets, programs...)
	if err != nil {
		return check.Finding{}, err
	}
	var others []string
	is := Build{SHA256: carried.SHA256, Judge: carried.Judge}
	for _, b := range made.Binaries {
		if is.Recorded(b.Program, b.Target) != made.Recorded(b.Program, b.Target) {
			others = append(others, b.Program.says()+" for "+b.Target.String())
		}
	}
	if len(others) > 0 {
		return check.Fail(fmt.Sprintf("not what its sources make with %s: %s", carried.Go, strings.Join(others, ", ")), "install springfield again, from a release"), nil
	}
	return check.OK(fmt.Sprintf("%s are what %s makes of its sources", says, carried.Go)), nil
}
