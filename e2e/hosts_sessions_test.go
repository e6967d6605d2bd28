//go:build e2e

package e2e

import "testing"

// Without a plugin each host ends its turn where the model does, after a tool call too.
func TestHostsAlone(t *testing.T) {
	t.Parallel()
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			look := Turn{Blocks: []Block{{Text: "I look first."}, h.shell("echo looked")}}
			hosted(t, h).In(h, Session{Script: []Turn{look, says(plan[0])[0], says(plan[1])[0]}}, plan[0], 2)
		})
	}
}
