package transcript_test

import (
	"testing"

	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// A teammate is there from its spawning, or its first message, until it is shut down.
func TestTeam(t *testing.T) {
	spawned := func(s *session, name string) *session {
		return s.calls("Agent", `{"description":"x","prompt":"…","name":"`+name+`","team_name":"barn"}`).
			returns("Spawned successfully.", `{"status":"teammate_spawned","name":"`+name+`","teammate_id":"`+name+`@barn"}`)
	}
	says := func(s *session, name, words string) *session {
		return s.asks(`<teammate-message teammate_id="` + name + `" color="blue">` + "\n" + words + "\n</teammate-message>")
	}
	begun := func() *session { return (&session{}).asks("Lead a team.") }
	for name, test := range map[string]struct {
		session *session
		want    int
	}{
		"alone":                {begun().says("Hm."), 0},
		"two of them":          {spawned(spawned(begun(), "moe"), "barney"), 2},
		"one writes":           {says(begun(), "moe", "I have begun."), 1},
		"one is shut down":     {says(spawned(spawned(begun(), "moe"), "barney"), "moe", `{"type":"shutdown_approved","requestId":"1","from":"moe"}`), 1},
		"one has gone":         {says(spawned(begun(), "moe"), "system", `{"type":"teammate_terminated","message":"moe has shut down."}`), 0},
		"the team is deleted":  {spawned(spawned(begun(), "moe"), "barney").runs("TeamDelete", `{}`), 0},
		"two in one message":   {begun().asks(`<teammate-message teammate_id="a">x</teammate-message><teammate-message teammate_id="b">y</teammate-message>`), 2},
		"not spawned":          {begun().calls("Agent", `{"name":"moe"}`).fails("no such agent"), 0},
		"a torn message":       {begun().asks(`<teammate-message teammate_id="`), 0},
		"a person's own words": {begun().asks(`What does <teammate-message teammate_id="a"> mean?`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, test.session.bytes(), func(v View) any { return v.Team }, test.want)
		})
	}
}
