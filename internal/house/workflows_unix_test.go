//go:build unix

package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// workflow has the tested members of a GitHub workflow.
type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Concurrency map[string]any
	Jobs        map[string]workflowJob
}

type workflowJob struct {
	RunsOn      string `yaml:"runs-on"`
	Environment any
	Permissions map[string]string
	Timeout     int `yaml:"timeout-minutes"`
	Steps       []workflowStep
}

type workflowStep struct {
	Uses, Run string
	With, Env map[string]any
}

// workflows parses all workflows strictly.
func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(".github", "workflows", "*.yml"))
	if err != nil || len(names) < 3 {
		t.Fatalf("%v, %v", names, err)
	}
	all := map[string]workflow{}
	for _, name := range names {
		var w workflow
		if err := yaml.Unmarshal([]byte(read(t, ".", name)), &w); err != nil || len(w.Jobs) == 0 {
			t.Fatalf("%s: %d jobs, %v", name, len(w.Jobs), err)
		}
		all[filepath.Base(name)] = w
	}
	return all
}

// Each action is pinned to the commit of one version.
func TestWorkflowsPinActions(t *testing.T) {
	pin := regexp.MustCompile(`^\s*(?:- )?uses: ([\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
	pins := map[string]string{}
	for name := range workflows(t) {
		for line := range strings.Lines(read(t, filepath.Join(".github", "workflows"), name)) {
			if line = strings.TrimSuffix(line, "\n"); !strings.Contains(line, "uses:") {
				continue
			}
			m := pin.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %q names no commit with its version", name, line)
				continue
			}
			if at := m[2] + " " + m[3]; pins[m[1]] == "" {
				pins[m[1]] = at
			} else if pins[m[1]] != at {
				t.Errorf("%s: %s is at %s, elsewhere at %s", name, m[1], at, pins[m[1]])
			}
		}
	}
}

// A job has a timeout and few rights, and a pull request from a fork gets no secret.
func TestWorkflowsHaveFewRights(t *testing.T) {
	for name, w := range workflows(t) {
		if len(w.Permissions) > 1 || len(w.Permissions) == 1 && w.Permissions["contents"] != "read" || w.Permissions == nil {
			t.Errorf("%s: every job may %v", name, w.Permissions)
		}
		if w.Concurrency["group"] == nil || w.Concurrency["cancel-in-progress"] == nil {
			t.Errorf("%s does not say what happens to a run beside another", name)
		}
		if w.On["pull_request_target"] != nil || w.On["workflow_run"] != nil {
			t.Errorf("%s runs with rights on what others wrote", name)
		}
		secrets := strings.Contains(read(t, filepath.Join(".github", "workflows"), name), "secrets.")
		release := name == "release.yml"
		if secrets && !release || release && len(w.On) != 1 {
			t.Errorf("%s: only a tag's release may have secrets: %v", name, w.On)
		}
		for job, j := range w.Jobs {
			if j.Timeout == 0 || strings.HasSuffix(j.RunsOn, "-latest") {
				t.Errorf("%s: %s has the timeout %d on %s", name, job, j.Timeout, j.RunsOn)
			}
			for right, may := range j.Permissions {
				if may == "write" && (!release || j.Environment == nil) {
					t.Errorf("%s: %s may write %s", name, job, right)
				}
			}
			for _, step := range j.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: %s puts a text into a command, which belongs into env: %q", name, job, step.Run)
				}
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
					t.Errorf("%s: %s leaves the token where every later step can read it", name, job)
				}
				if cached := strings.HasPrefix(step.Uses, "actions/cache@") || strings.HasPrefix(step.Uses, "actions/setup-go@") && step.With["cache"] != false ||
					strings.HasPrefix(step.Uses, "actions/setup-node@") && step.With["package-manager-cache"] != false; cached && release {
					t.Errorf("%s: %s builds a release with what other runs have left in a cache", name, job)
				}
			}
		}
	}
}

// The packages for Windows exist, and each excluded test exists and has a reason.
func TestOnWindows(t *testing.T) {
	for line := range strings.Lines(read(t, ".github", "windows-packages.txt")) {
		if room, ok := strings.CutPrefix(strings.TrimSpace(line), "./"); ok {
			if _, err := os.Stat(strings.TrimSuffix(room, "/...")); err != nil {
				t.Error(err)
			}
		}
	}
	there := tests(t)
	for _, file := range []string{"not-on-windows.txt", "not-on-wine.txt"} {
		reason := false
		for line := range strings.Lines(read(t, ".github", file)) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "#"):
				reason = true
			case !reason || !there[line]:
				t.Errorf("%s: %q is no test", file, line)
			}
		}
	}
}
