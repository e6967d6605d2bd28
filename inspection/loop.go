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
		return command.NoDriver((&Inspection{Request: r}).stateDir(), dir, "settings cannot be read: "+err.Error())
	}
	problem := "no plugin that drives goal loops is on; next: " + in.HowToEnable("ralph-wiggum")
	for _, p := range in.Plugins {
		if !command.DrivesLoops(p.Strategy) {
			continue
		}
		if !p.On {
			problem = p.ID + " is off; next: springfield enable " + p.ID
			continue
		}
		if p.Problem != "" {
			problem = p.ID + " is on and does not run: " + p.Problem + "; springfield doctor says more"
			continue
		}
		settings, err := hook.ReadSettings(p.Dir, in.stateDir(), dir)
		if err != nil {
			problem = p.ID + ": " + err.Error() + "; correct that file, or install the plugin again"
			continue
		}
		d := command.Driver{Settings: settings}
		if in.Silenced != "" {
			d.Problem = in.Silenced + " keeps hooks from running; remove that setting where it is set"
		}
		return d
	}
	return command.NoDriver(in.stateDir(), dir, problem)
}
