// One question to lisa-simpson's judge, by hand: to see whether it can be asked
// here, and what it says of a page.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cameronsjo/springfield/runtime/backend"
	"github.com/cameronsjo/springfield/runtime/hook"
	"github.com/cameronsjo/springfield/runtime/judge"
	"github.com/cameronsjo/springfield/runtime/ledger"
	"github.com/cameronsjo/springfield/runtime/strategy/lisa"
)

type judgeOptions struct {
	page    string
	backend string
	model   string
	client  string
	within  int
	hurried bool // --within was given
	json    bool
}

func newJudge(a *app) *cobra.Command {
	var o judgeOptions
	cmd := &cobra.Command{
		Use:   "judge --page FILE",
		Short: "Ask lisa-simpson's judge about one page",
		Long: `Asks a model about one page, as lisa-simpson's hook does where no rule is sure, and
prints the answer, how long it took and what it cost. springfield explain --strategy
lisa-simpson --json has the page of a session. Your own lisa-simpson.json,
LISA_SIMPSON_MODEL and the flags say which model is asked. The cost counts for the
day, but the day's limit does not apply here.`,
		Example: `  springfield judge --page page.txt
  springfield judge --page page.txt --backend api --model haiku`,
		Args: arguments(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.hurried = cmd.Flags().Changed("within")
			return runJudge(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.page, "page", "", "the page to ask about; - reads standard input")
	f.StringVar(&o.backend, "backend", "", "how to ask: "+strings.Join(judge.Backends(), ", "))
	f.StringVar(&o.model, "model", "", "the model: an alias like haiku, or a full id")
	f.StringVar(&o.client, "client", "", "absolute path of Claude Code's program, for --backend claude")
	f.IntVar(&o.within, "within", judge.Within, "how long an answer may take, in seconds")
	f.BoolVar(&o.json, "json", false, "print the reply as JSON")
	return cmd
}

func runJudge(ctx context.Context, a *app, o judgeOptions) error {
	if o.page == "" {
		return &usageError{errors.New("no page was given"), "springfield judge --page FILE; springfield explain SESSION.jsonl --strategy lisa-simpson --json has one"}
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	state := filepath.Join(places.Config, "springfield")
	settings := hook.Unplugged(lisa.Strategy(), state, "")
	for _, fault := range settings.Faults {
		a.talk("springfield: note: %s; it is not in force", fault)
	}
	options, _ := settings.Judge()
	q, err := a.question(o, options)
	if err != nil {
		return err
	}
	if q.Page, err = a.readPage(o.page); err != nil {
		return err
	}
	q.System = judge.Prompt("Claude")
	done := a.working("asking " + q.Model)
	reply := backend.Ask(ctx, q, backend.Env{Vars: a.env, Home: a.home, Temp: os.TempDir(), Proxy: http.ProxyFromEnvironment})
	done()
	if err := ctx.Err(); err != nil {
		return err
	}
	if reply.Failed == "" || reply.Micros > 0 {
		if err := ledger.Pay(state, time.Now(), reply.Micros, reply.Failed == ""); err != nil {
			a.talk("springfield: note: could not record what it cost: %v", err)
		}
	}
	if o.json {
		if err := a.encode(reply); err != nil {
			return err
		}
	}
	if reply.Failed != "" {
		return &hinted{fmt.Errorf("the judge did not answer: %s: %s", reply.Failed, reply.Detail), backend.Hint(reply.Failed)}
	}
	if !o.json {
		answer := "stop"
		if reply.Continue {
			answer = "continue"
		}
		a.say("%s: %s", answer, reply.Why)
		u := reply.Usage
		a.say("  %s by %s, %d tokens in, %d out, %.1f s, %s", cmp.Or(reply.Model, q.Model), q.Backend, u.Input+u.CacheRead+u.CacheWrite, u.Output, float64(reply.Took)/1000, judge.Dollars(reply.Micros))
	}
	return nil
}

// question is which model to ask and how: by the user's own settings, the variable, the flags.
func (a *app) question(o judgeOptions, j judge.Options) (judge.Question, error) {
	q := judge.Question{
		Backend: cmp.Or(o.backend, j.Backend), Model: cmp.Or(o.model, a.getenv("LISA_SIMPSON_MODEL"), j.Model),
		Client: cmp.Or(o.client, j.Client), Address: j.Address, Within: int64(j.Within) * 1000,
	}
	if o.hurried {
		q.Within = int64(o.within) * 1000
	}
	switch {
	case !slices.Contains(judge.Backends(), q.Backend):
		return q, &usageError{fmt.Errorf("there is no backend %q", q.Backend), "choose from " + strings.Join(judge.Backends(), ", ")}
	case !judge.ValidModel(q.Model):
		return q, &usageError{fmt.Errorf("%q is not the name of a model", q.Model), "use an alias like haiku, or a full id"}
	case q.Client != "" && !filepath.IsAbs(q.Client):
		return q, &usageError{fmt.Errorf("--client %s is not an absolute path", q.Client), "write the whole path"}
	case o.within < 1 || o.within > judge.MaxWithin:
		return q, &usageError{fmt.Errorf("--within is from 1 to %d seconds", judge.MaxWithin), "leave it out for " + strconv.Itoa(j.Within)}
	}
	return q, nil
}

// maxPage is more than a page has, to try others.
const maxPage = 32 << 10

func (a *app) readPage(path string) (string, error) {
	var in io.Reader = a.in
	if path != "-" {
		if !filepath.IsAbs(path) {
			path = filepath.Join(a.work, path)
		}
		f, err := os.Open(path)
		if err != nil {
			return "", &hinted{fmt.Errorf("read page: %w", err), "springfield explain SESSION.jsonl --strategy lisa-simpson --json has one"}
		}
		defer f.Close()
		in = f
	} else if a.terminal {
		return "", &usageError{errors.New("--page - reads standard input, which is a terminal"), "pipe a page into it, or name a file"}
	}
	data, err := io.ReadAll(io.LimitReader(in, maxPage+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("read page: %w", err)
	case len(data) > maxPage:
		return "", &hinted{fmt.Errorf("read page: %s is longer than %d KiB", path, maxPage>>10), "a page has at most 3 KiB; this looks like a session log"}
	case strings.TrimSpace(string(data)) == "":
		return "", &hinted{fmt.Errorf("read page: %s is empty", path), "springfield explain SESSION.jsonl --strategy lisa-simpson --json has one"}
	}
	return string(data), nil
}
