package transcript_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/runtime/activity"
	. "github.com/cameronsjo/springfield/runtime/transcript"
)

func TestPlansIn(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                          nil,
		"Read docs/plans/auth.md first.":            {"docs/plans/auth.md"},
		"(see `docs/superpowers/plans/a.md`)":       {"docs/superpowers/plans/a.md"},
		"first plans/a.md, then plans/b.md":         {"plans/b.md", "plans/a.md"},
		"\"docs/plans/a.md\":12":                    {"docs/plans/a.md"},
		"the plan:docs/plans/a.md.":                 {"docs/plans/a.md"},
		"PLAN.md":                                   {"PLAN.md"},
		"docs/plan_of_work.md":                      {"docs/plan_of_work.md"},
		"/home/bart/x/docs/plans/ünï.md":            {"/home/bart/x/docs/plans/ünï.md"},
		`C:\repo\docs\plans\a.md`:                   {"C:/repo/docs/plans/a.md"},
		"cat .superpowers/sdd/auth/task-1-brief.md": {".superpowers/sdd/auth"},
		".superpowers/sdd/progress.md":              nil,
		"docs/planet/a.md, docs/airplane.md":        nil,
		"docs/plans/a.mdx docs/plans/a.md.tmpl docs/plans/a.md/b": nil,
	} {
		if got := PlansIn(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What names a plan, how long ago, and what does not.
func TestPlans(t *testing.T) {
	plans := func(v View) any { return v.Plans }
	const a, b = "docs/plans/a.md", "docs/plans/b.md"
	for name, test := range map[string]struct {
		session *session
		want    []activity.Plan
	}{
		"a prompt, earlier": {new(session).asks("Carry out " + a).says("Done.").asks("Fix the typo."), []activity.Plan{{Name: a, Turns: 1}}},
		"what Claude says":  {new(session).asks("go").says("I follow " + a + "."), []activity.Plan{{Name: a}}},
		"a call":            {new(session).asks("go").runs("Read", `{"file_path":"/w/`+a+`"}`), []activity.Plan{{Name: "/w/" + a}}},
		"the newest first":  {new(session).asks("go").says(a).says(b).says(a), []activity.Plan{{Name: a}, {Name: b}}},
		"written":           {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":"see `+b+`"}`), []activity.Plan{{Name: a, Written: true}}},
		"written, then read": {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":""}`).runs("Read", `{"file_path":"`+a+`"}`),
			[]activity.Plan{{Name: a, Written: true}}},
		"written, earlier": {new(session).asks("go").runs("Write", `{"file_path":"`+a+`","content":""}`).asks("carry it out").runs("Read", `{"file_path":"`+a+`"}`),
			[]activity.Plan{{Name: a}}},
		"a long call":       {new(session).asks("go").runs("Agent", `{"prompt":"follow `+a+` `+strings.Repeat("word ", 2000)+`"}`), []activity.Plan{{Name: a}}},
		"in what is edited": {new(session).asks("go").runs("Edit", `{"file_path":"README.md","old_string":"`+a+`","new_string":"`+b+`"}`), nil},
		"in a result":       {new(session).asks("go").calls("Bash", `{"command":"ls"}`).returns(a, `{}`), nil},
		"a ledger":          {new(session).asks("go").runs("Bash", `{"command":"echo x >> .superpowers/sdd/auth/progress.md"}`), []activity.Plan{{Name: ".superpowers/sdd/auth"}}},
	} {
		t.Run(name, func(t *testing.T) { check(t, test.session.bytes(), plans, test.want) })
	}
}

func TestManyPlans(t *testing.T) {
	s := new(session).asks("go")
	for range 3 {
		for _, c := range "abcdefghijkl" {
			s.says("docs/plans/" + string(c) + ".md")
		}
	}
	v := view(t, s.bytes())
	if len(v.Plans) != MaxPlans || v.Plans[0].Name != "docs/plans/l.md" || v.Plans[MaxPlans-1].Name != "docs/plans/e.md" {
		t.Errorf("%+v", v.Plans)
	}
}

func FuzzPlansIn(f *testing.F) {
	for _, seed := range []string{"docs/plans/a.md", `C:\plans\a.md`, "\\\\\\.md plan.md", ".superpowers/sdd/a/b.md", "plan.md.md", "\x00plans/\u2028.md"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range PlansIn(text) {
			if name == "" || len(name) > 2*MaxPath {
				t.Errorf("%q", name)
			}
		}
		EachPlan([]byte(text), func([]byte) {}) // as a damaged log has it
	})
}
