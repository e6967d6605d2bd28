package absence

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

// nameOf returns the session's project name, behind the short ID if sessions share it.
func (v View) nameOf(s Sight) string {
	name := filepath.Base(cmp.Or(s.Project, "?"))
	if slices.ContainsFunc(v.Sessions, func(o Sight) bool { return o.Session != s.Session && o.Project == s.Project }) {
		return short(s.Session) + " " + name
	}
	return name
}

// The widths of columns. The session's state gets the rest, but at least leastNow.
const (
	mostProject, mostPlugin = 24, 18
	sinceWidth, leftWidth   = 8, 4
	leastNow                = 16
)

// WriteText prints at most maxLines lines (0: unlimited), clipped to the printer's width, but always all orders and
// holds.
func (v View) WriteText(out layout.Printer, maxLines int) {
	printLine := func(out layout.Printer, line string) {
		out.PrintUnbroken(layout.ClipText(out.ShortPath(line), out.Width))
	}
	top := v.orderAndHoldLines()
	lines := len(top) + 1
	for _, line := range top {
		printLine(out.InBold(), line)
	}
	if len(v.Sessions) == 0 {
		printLine(out, "no session is at work; new sessions will appear here")
		return
	}
	widths := v.columns(out.Width)
	printLine(out, layOut(widths, [5]string{"project", "now", "since", "plugin", "left"}))
	for n, s := range v.Sessions {
		if rest := len(v.Sessions) - n + v.More; maxLines > 0 && lines >= maxLines-1 && rest > 1 {
			printLine(out, strconv.Itoa(rest)+" more: run springfield watch --once")
			return
		}
		styled := out
		switch s.State {
		case Waiting:
			styled = out.InYellow()
		case Failed:
			styled = out.InRed()
		case Finished:
			styled = out.InGreen()
		}
		printLine(styled, layOut(widths, v.cells(s)))
		lines++
	}
	if v.More > 0 {
		printLine(out, layout.CountOf(v.More, "more session"))
	}
}

func (v View) orderAndHoldLines() (all []string) {
	for _, o := range v.Orders {
		all = append(all, o.Describe(v.Now))
	}
	for _, h := range v.inForce().Holds {
		line, until := "hold: every agent may stop", "until you resume"
		if h.Session != "" {
			line = "hold: session " + short(h.Session) + " may stop"
		}
		if h.Until != 0 {
			until = "for another " + timestamp.LengthInWords(h.Until-v.Now)
		}
		all = append(all, line+", "+until)
	}
	return all
}

func (v View) cells(s Sight) [5]string {
	now := string(s.State)
	if s.State == Waiting && s.Text != "" {
		now = "waits"
	}
	if !s.Live {
		now = "last seen " + now
		if s.Host != registry.DefaultHost().Title {
			now = s.Host + ", " + now
		}
	}
	if s.Text != "" {
		now += ": " + s.Text
	}
	since, left := "", ""
	if s.Since > 0 {
		since = timestamp.LengthInWords(roundAge(v.Now - s.Since))
	}
	if s.Left != nil {
		left = strconv.Itoa(*s.Left)
	}
	return [5]string{v.nameOf(s), now, since, s.Plugin, left}
}

// roundAge rounds millis down to whole hours, minutes or tens of seconds, unless it is below ten seconds.
func roundAge(millis int64) int64 {
	for _, unit := range []int64{3600_000, 60_000, 10_000} {
		if millis >= unit {
			return millis / unit * unit
		}
	}
	return millis
}

func (v View) columns(width int) (widths [5]int) {
	widths[0], widths[1], widths[2], widths[3], widths[4] = len("project"), leastNow, len("since"), len("plugin"), leftWidth
	for _, s := range v.Sessions {
		cells := v.cells(s)
		widths[0] = min(mostProject, width/5, max(widths[0], layout.TextWidth(cells[0])))
		widths[1] = max(widths[1], layout.TextWidth(display.OneLine(cells[1])))
		widths[2] = min(sinceWidth, max(widths[2], layout.TextWidth(cells[2])))
		widths[3] = min(mostPlugin, width/6, max(widths[3], layout.TextWidth(cells[3])))
	}
	widths[1] = max(leastNow, min(widths[1], width-widths[0]-widths[2]-widths[3]-widths[4]-8))
	return widths
}

func layOut(widths [5]int, cells [5]string) (line string) {
	for n, cell := range cells {
		line += layout.PadText(layout.ClipText(display.OneLine(cell), widths[n]), widths[n]) + "  "
	}
	return strings.TrimRight(line, " ")
}
