package inspection

import (
	"github.com/cameronsjo/springfield/runtime/command"
	"github.com/cameronsjo/springfield/runtime/hook"
)

// LoopDriver is the plugin that drives goal loops in a directory, as far as settings
// say.
func LoopDriver(r Request, dir string) command.Driver {
	in, err := Inspect(r)
	if err != nil {
		return command.NoDriver((&Inspection{Request: r}).state(), dir, "settings cannot be read: "+err.Error(), "")
	}
	problem, fix := "no plugin that drives goal loops is on", "springfield init --strategy ralph-wiggum makes one, springfield enable ralph-wiggum switches it on"
	for _, p := range in.Plugins {
		if !command.Drives(p.Strategy) {
			continue
		}
		if !p.On {
			problem, fix = p.ID+" is off", "springfield enable "+p.ID
			continue
		}
		if p.Problem != "" {
			problem, fix = p.ID+" is on and does not run: "+p.Problem, "springfield doctor says more"
			continue
		}
		settings, err := hook.ReadSettings(p.Dir, in.state(), dir)
		if err != nil {
			problem, fix = p.ID+": "+err.Error(), "mend that file, or get it back from where the plugin comes from"
			continue
		}
		d := command.Driver{Settings: settings}
		if in.Silenced != "" {
			d.Problem, d.Fix = in.Silenced+" keeps hooks from running", "take that out where it is set"
		}
		return d
	}
	return command.NoDriver(in.state(), dir, problem, fix)
}
