package doctor

import "testing"

// What project settings may set is looked up by its name in any case, the first
// pattern that fits counts, and what moves nothing has no sentence.
func TestEffect(t *testing.T) {
	for name, moves := range map[string]bool{"SPRINGFIELD": true, "springfield_judge": true, "LD_PRELOAD": true, "HTTPS_PROXY": true, "GOFLAGS": true, "EDITOR": false, "CLAUDE_CODE_ENABLE_TODO_TOOLS": false, "": false} {
		if got := effectOfVariable(name); (got != "") != moves {
			t.Errorf("%s: %q", name, got)
		}
	}
}
