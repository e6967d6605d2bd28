package judge

import (
	"github.com/cameronsjo/springfield/runtime/fact"
	"github.com/cameronsjo/springfield/runtime/strategy"
)

// PageOf is what a judge is shown of a situation.
func PageOf(s strategy.Situation) string {
	return Page{
		Skill: s.Skill.Name, Todos: fact.Count(s.Todos.List), Calls: s.Turn.Calls, Request: s.Turn.Prompt, Message: s.Message.Text,
		Agent: s.Session.Who(), Asked: s.Turn.Asked, Running: s.Turn.Running,
	}.String()
}
