package doctor

import (
	"github.com/cameronsjo/springfield/runtime/console"
)

// LoopDriver is the plugin that drives goal loops in a directory, as far as settings
// say.
func LoopDriver(r Request, dir string) console.Driver {
	in, err := Inspect(r)
	if err != nil {
		return console.NoDriver((&Inspection{Request: r}).stateDir(), dir, "settings cannot be read: "+err.Error())
	}
	problem := "no plugin that drives goal loops is on; next: " + in.HowToEnable("ralph-wiggum")
	for _, p := range in.Plugins {
		if !console.DrivesLoops(p.Strategy) {
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
		settings, err := in.hookSettings(p.Dir, dir)
		if err != nil {
			problem = p.ID + ": " + err.Error() + "; correct that file, or install the plugin again"
			continue
		}
		d := console.Driver{Settings: settings}
		if in.Silenced != "" {
			d.Problem = in.Silenced + " keeps hooks from running; remove that setting where it is set"
		}
		return d
	}
	return console.NoDriver(in.stateDir(), dir, problem)
}
