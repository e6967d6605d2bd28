package absence

import (
	"cmp"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

type Preflight struct {
	Sessions []Live
	Notes    []string
	Version  string // the latest of Claude Code in use, "" if unknown
	now      int64
}

// Live is a session that is working or waiting.
type Live struct {
	Session, Host, Project, Plugin, Mode string
	Process                              int   // 0 if unknown
	Seen                                 int64 // Unix milliseconds, 0 if unknown
	Does                                 string
	Warnings                             []string
}

// lately is the age up to which a session with no known process is live.
const lately = 30 * time.Minute

// ModeWarnings describe the effects of permission modes at night.
var ModeWarnings = map[string]string{
	"default":     "in default mode, Bash commands and file changes are refused while you are away, unless your rules allow them",
	"acceptEdits": "in acceptEdits mode, Bash commands are refused while you are away, unless your rules allow them",
	"plan":        "in plan mode, the plan waits for you, and no question is answered",
}

// Look reports on the live sessions an order covers, and obstacles. driver is the plugin that decides in Claude Code.
func (p Places) Look(o ledger.AwayOrder, driver string) Preflight {
	out := Preflight{now: p.Now.UnixMilli()}
	sessions, _ := p.findSessions(o.Project, p.Now.Add(-lately).UnixMilli())
	for _, s := range sessions {
		if NewerVersion(s.process.Version, out.Version) {
			out.Version = s.process.Version
		}
		if s.ended {
			continue
		}
		if s.host == "" && NewerVersion(s.log.version, out.Version) {
			out.Version = s.log.version
		}
		live := Live{
			Session: s.id, Host: registry.TitleOf(s.host), Project: cmp.Or(s.process.Cwd, s.cwd), Plugin: s.decision.Plugin,
			Mode: s.log.mode, Process: s.process.ID, Seen: max(s.log.last, s.decision.At),
		}
		if live.Plugin == "" && s.host == "" {
			live.Plugin = driver
		}
		live.Does = s.waits()
		switch {
		case live.Does == firstPrompt:
			live.Warnings = append(live.Warnings, "no hook can start it: give it its first prompt before you leave")
		case live.Does != "":
			live.Warnings = append(live.Warnings, "no hook can wake it: answer it before you leave")
		default:
			live.Does = strings.TrimSuffix("works: "+maskedCut(s.log.doing), ": ")
		}
		if warning := ModeWarnings[live.Mode]; warning != "" {
			live.Warnings = append(live.Warnings, warning)
		}
		out.Sessions = append(out.Sessions, live)
	}
	if len(out.Sessions) == 0 {
		out.Notes = append(out.Notes, "no session is at work here now; sessions that begin later are also kept at work")
	}
	if missing := missingForCheck(o.Check); missing != "" {
		out.Notes = append(out.Notes, "the check cannot pass: "+missing)
	}
	return out
}

// shellWords can begin a check but are not programs.
const shellWords = " case cd command eval exec export for if set source time until while "

func missingForCheck(check string) (reason string) {
	program, _, _ := strings.Cut(check, " ")
	if _, err := exec.LookPath(program); err != nil && strings.Trim(program, "abcdefghijklmnopqrstuvwxyz0123456789-_") == "" && program != "" && !strings.Contains(shellWords, " "+program+" ") {
		return "there is no program " + program
	}
	return ""
}

func (f Preflight) WriteText(out layout.Printer) {
	for _, s := range f.Sessions {
		out.InBold().PrintText("%s", "session "+short(s.Session)+" in "+s.Project)
		host := s.Host
		switch {
		case s.Process > 0:
			host += ", process " + strconv.Itoa(s.Process)
		case s.Seen > 0:
			host += ", last seen " + timestamp.AgoInWords(f.now-s.Seen)
		}
		out.PrintField("  agent    ", host)
		out.PrintField("  plugin   ", cmp.Or(s.Plugin, "none has decided in this session yet"))
		if s.Mode != "" {
			out.PrintField("  mode     ", maskedCut(s.Mode))
		}
		out.PrintField("  now      ", s.Does)
		for _, w := range s.Warnings {
			out.InYellow().PrintFolded("  note     ", "%s", w)
		}
	}
	for _, note := range f.Notes {
		out.InYellow().PrintFolded("note: ", "%s", note)
	}
}

// NewerVersion reports whether a is newer than b. Invalid versions are the oldest.
func NewerVersion(a, b string) bool {
	v, err := semver.StrictNewVersion(a)
	w, none := semver.StrictNewVersion(b)
	return err == nil && (none != nil || v.GreaterThan(w))
}

// HowToAllow returns advice to allow a check ("" without a check, or if allowed already does). allowed lists rules of
// permissions.allow.
func HowToAllow(check string, allowed []string) (howIfDenied string) {
	allows := func(rule string) bool {
		about, isBash := strings.CutPrefix(strings.TrimSuffix(rule, ")"), "Bash(")
		if before, ok := strings.CutSuffix(about, ":*"); ok {
			about = before + "*"
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(about), `\*`, ".*")
		return rule == "Bash" || isBash && regexp.MustCompile("^"+pattern+"$").MatchString(check)
	}
	if check == "" || slices.ContainsFunc(allowed, allows) {
		return ""
	}
	lacks := "if Claude Code asks for permission to run the check, it is denied, because no rule in permissions.allow allows it"
	if rule := activity.AllowRule(check); rule != "" {
		lacks += "; to allow it, add " + rule + " to permissions.allow in .claude/settings.local.json"
	}
	return lacks
}
