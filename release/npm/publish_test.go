package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// remote is what npm shows of a registry: checksums by package@version.
type remote struct {
	has   map[string]string
	calls []string // of npm publish
	fails string   // a package that cannot be published
	down  bool
	read  func(name string) (packed, error)
}

func (r *remote) npm(args ...string) ([]byte, error) {
	if r.down {
		return []byte(`{"error": {"code": "ECONNREFUSED"}}`), errors.New("exit status 1")
	}
	if args[0] == "view" {
		if sum := r.has[args[1]]; sum != "" {
			return json.Marshal(sum)
		}
		return []byte(`{"error": {"code": "E404", "summary": "not found"}}`), errors.New("exit status 1")
	}
	for _, name := range names() {
		one, err := r.read(name)
		if err != nil || one.file != args[1] {
			continue
		}
		if name == r.fails {
			return nil, errors.New("exit status 1")
		}
		r.has[name+"@"+one.version] = one.integrity
		r.calls = append(r.calls, name+" "+strings.Join(args[2:], " "))
	}
	return nil, nil
}

// archives makes packages, and a file for each of them in the place of what npm pack makes.
func archives(t *testing.T, version string) (string, *remote) {
	t.Helper()
	dist, notices := release(t)
	to := filepath.Join(t.TempDir(), "npm")
	if err := packages(t, dist, notices, version, to); err != nil {
		t.Fatal(err)
	}
	for _, name := range names() {
		write(t, filepath.Join(to, archive(name, version)), "the archive of "+name)
	}
	return to, &remote{has: map[string]string{}, read: publication{dir: to}.read}
}

func TestPublish(t *testing.T) {
	dir, registry := archives(t, "1.2.3")
	var out bytes.Buffer
	again := func() error {
		out.Reset()
		registry.calls = nil
		return publication{dir: dir, provenance: true, npm: registry.npm, out: &out}.run()
	}
	// The main package comes last, so that a user who gets it can get the others.
	order := []string{"linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64", "win32-x64", "win32-arm64", ""}
	for i, machine := range order {
		order[i] = strings.TrimSuffix("@cameronsjo/springfield-"+machine, "-") + " --access public --provenance=true"
	}
	registry.fails = "@cameronsjo/springfield-darwin-arm64"
	if err := again(); err == nil || !strings.Contains(err.Error(), "publish @cameronsjo/springfield-darwin-arm64@1.2.3") || !slices.Equal(registry.calls, order[:3]) {
		t.Fatalf("%v, after %q", err, registry.calls)
	}
	registry.fails = ""
	if err := again(); err != nil || !slices.Equal(registry.calls, order[3:]) || strings.Count(out.String(), "there already\n") != 3 {
		t.Fatalf("the second run: %v, %q\n%s", err, registry.calls, &out)
	}
	if err := again(); err != nil || len(registry.calls) > 0 || strings.Count(out.String(), "there already\n") != 7 {
		t.Fatalf("the third run: %v, %q\n%s", err, registry.calls, &out)
	}
}

func TestPublishRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, dir string, r *remote)
		says  string
	}{
		"a version that is there with other files": {func(_ *testing.T, _ string, r *remote) { r.has["@cameronsjo/springfield@1.2.3"] = "sha512-other" }, "with another content"},
		"a registry that does not answer":          {func(_ *testing.T, _ string, r *remote) { r.down = true }, "ask the registry for @cameronsjo/springfield-linux-x64@1.2.3"},
		"a package that was not packed": {func(t *testing.T, dir string, _ *remote) {
			if err := os.Remove(filepath.Join(dir, "cameronsjo-springfield-win32-arm64-1.2.3.tgz")); err != nil {
				t.Fatal(err)
			}
		}, "cameronsjo-springfield-win32-arm64-1.2.3.tgz"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, registry := archives(t, "1.2.3")
			c.spoil(t, dir, registry)
			err := publication{dir: dir, npm: registry.npm, out: &bytes.Buffer{}}.run()
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, and not %q", err, c.says)
			}
			if len(registry.calls) > 0 {
				t.Errorf("published %q before", registry.calls)
			}
		})
	}
}

// npm install without a version never gives a preliminary one.
func TestPublishPreliminary(t *testing.T) {
	dir, registry := archives(t, "1.2.3-rc.1")
	if err := (publication{dir: dir, npm: registry.npm, out: &bytes.Buffer{}}).run(); err != nil {
		t.Fatal(err)
	}
	for _, call := range registry.calls {
		if !strings.HasSuffix(call, " --access public --provenance=false --tag next") {
			t.Error(call)
		}
	}
}
