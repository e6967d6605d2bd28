package droid

import (
	"testing"

	"github.com/cameronsjo/springfield/runtime/host"
)

// The message of the event is identified by its id alone, and only if its line is complete.
func TestArrived(t *testing.T) {
	const of = `{"type":"message","id":"m1","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"\"id\":\"m2\""}]}}`
	for _, c := range []struct {
		end, id string
		want    bool
	}{
		{of + "\n", "m1", true},
		{of + "\n" + `{"type":"todo_state"}` + "\n", "m1", true},
		{of[:len(of)-1], "m1", false},
		{of + "\n", "m2", false},
		{"", "m1", false},
		{"", "", true},
	} {
		if got := arrived(host.Event{MessageID: c.id}, []byte(c.end)); got != c.want {
			t.Errorf("%d bytes, %s: %t", len(c.end), c.id, got)
		}
	}
}
