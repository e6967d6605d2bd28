package check_test

import (
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/scratch"
)

func TestHintAtNames(t *testing.T) {
	names := []string{"ned-flanders", "ned-flanders:seed", "lisa-simpson", "bart-simpson", "all"}
	for typed, want := range map[string]string{
		"ned-flander": "did you mean --x ned-flanders?", "ned-flanders:sed": "did you mean --x ned-flanders:seed?", "Lisa": "did you mean --x lisa-simpson?",
		"lal": "did you mean --x all?", "aLisa": "nothing", "simpson": "did you mean --x lisa-simpson or --x bart-simpson?", "al": "did you mean --x all?",
		"x": "nothing", "": "nothing", "homer-simpsons-donut": "nothing", strings.Repeat("a", 1<<20): "nothing",
	} {
		scratch.Equal(t, check.HintAtNames(typed, "--x ", names, "nothing"), want, typed)
	}
	if got := check.HintAtNames("moe", "--x ", names[3:], ""); got != "--x is bart-simpson or all" {
		t.Error(got)
	}
	if got := check.HintAtNames("moe", "", names[3:], ""); got != "choose from bart-simpson, all" {
		t.Error(got)
	}
}
