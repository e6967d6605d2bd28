package doctor

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/backend"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/registry"
	"github.com/cameronsjo/springfield/runtime/rules"
	"github.com/cameronsjo/springfield/runtime/timestamp"
)

func (in *Inspection) checkBlockCap() (all []check.Finding) {
	honoured := client.BlockLimit(in.Settings)
	for _, s := range in.OursAtStop() {
		own, err := in.hookSettings(s.Dir, "")
		rounds := own.MaxContinues()
		if err != nil || rounds <= honoured { // checkPluginSettings reports the error
			continue
		}
		fix := fmt.Sprintf("set %s to %d in env of your settings", client.BlockCap, rounds)
		if _, from, ok := client.VariableIn(in.Settings, client.BlockCap); s.Decides == string(client.User) && (!ok || from == s.Decides) {
			fix = "springfield enable " + s.ID
		}
		all = append(all, check.Failed(fmt.Sprintf("%s may continue %d times in a row, but Claude Code silently ends the turn after %d", s.ID, rounds, honoured), fix))
	}
	return all
}

func (in *Inspection) checkPluginSettings() (all []check.Finding) {
	for _, s := range in.ours {
		if !s.Runs {
			continue
		}
		settings, err := in.hookSettings(s.Dir, in.Places.Work)
		if err != nil {
			all = append(all, check.Failed(s.ID+": "+err.Error()+", so it always lets Claude stop", "fix that file, or restore it from the plugin's source"))
			continue
		}
		for _, fault := range settings.Faults {
			all = append(all, check.Warned("ignored: "+fault, "correct that setting"))
		}
		for _, err := range rules.CheckPatterns(settings.Options) {
			all = append(all, check.Warned("ignored: "+s.ID+": "+err.Error(), "fix that rule"))
		}
	}
	return all
}

func (in *Inspection) checkJudge() (all []check.Finding) {
	asks, named := false, []string(nil)
	for _, s := range in.ours {
		if known, ok := registry.StrategyNamed(s.Strategy); !s.Runs || !ok || !known.Judges {
			continue
		}
		asks = true
		settings, err := in.hookSettings(s.Dir, in.Places.Work)
		if err != nil { // checkPluginSettings reports it
			continue
		}
		j, _ := settings.JudgeOptions()
		named = append(named, j.Variables...)
		if says, failure := in.whatJudgeLacks(j); says != "" {
			all = append(all, check.Warned(s.ID+" asks its judge "+says, backend.HintFor(failure)))
		}
	}
	if !asks {
		return nil
	}
	if why := backend.WhyRedirected(in.Places.Work, in.Places.Home, named); why != "" {
		all = append(all, check.Warned("the judge is not asked here: "+why, backend.HintFor(judge.Redirected)))
	}
	return append(all, in.checkJudgeAnswers())
}

// whatJudgeLacks describes a missing program or setting that the judge needs, and the resulting failure (both empty if
// none). says continues "asks its judge". It starts no program.
func (in *Inspection) whatJudgeLacks(j judge.Options) (says string, failure judge.Failure) {
	switch j.Backend {
	case judge.Claude:
		if j.Client == "" && in.Client.Path == "" {
			return "through Claude Code, which is not on PATH", judge.NoClient
		}
		if _, err := os.Stat(j.Client); j.Client != "" && err != nil {
			return "through " + j.Client + ", which does not exist", judge.NoClient
		}
	case judge.Command:
		if lacks := j.Lacks(); lacks != "" {
			return "through your own program, but " + lacks, judge.Refused
		}
		if _, err := os.Stat(j.Command[0]); err != nil {
			return "through " + j.Command[0] + ", which does not exist", judge.NoClient
		}
	}
	return "", ""
}

func (in *Inspection) checkJudgeAnswers() check.Finding {
	spend, err := in.readSpend()
	if err != nil {
		return check.Warned(err.Error()+"; the judge is not asked until you fix this", "delete that file")
	}
	if spend.Failures+spend.Questions == 0 {
		return check.Noted("the judge has not been asked today, so it is unknown whether it answers", "run springfield why after the next stop that asks it, to see its answer")
	}
	if spend.Failures == 0 {
		return check.Passed("today: " + spendText(spend))
	}
	times := "once"
	if spend.Failures > 1 {
		times = fmt.Sprintf("%d times in a row", spend.Failures)
	}
	says := fmt.Sprintf("the judge failed to answer %s, last %s: %s, %s", times, AgoInWords(in.Now, time.UnixMilli(spend.FailedAt)), spend.Failure, spend.Detail)
	if until := time.UnixMilli(spend.Until); until.After(in.Now) {
		says += fmt.Sprintf("; it will be asked again in %s", timestamp.LengthInWords(until.Sub(in.Now).Milliseconds()))
	}
	return check.Warned(says, backend.HintFor(judge.Failure(spend.Failure)))
}

func (in *Inspection) readSpend() (ledger.Spend, error) {
	return ledger.ReadSpend(cmp.Or(ledger.StateDir("", in.Places.Home), in.Places.StatePath()), in.Now)
}

func spendText(p ledger.Spend) string {
	return layout.CountOf(p.Questions, "question") + ", " + judge.Dollars(p.Micros)
}
