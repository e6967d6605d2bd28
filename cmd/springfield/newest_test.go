package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/generator"
)

// What version --check makes of an answer: only a redirect to a release of springfield is
// believed, and nothing is followed.
func TestVersionCheck(t *testing.T) {
	w := newWorld(t)
	for _, tt := range []struct {
		name, own string
		status    int
		location  string // PAGE is the page of releases
		code      int
		out, err  []string
		newest    string // in JSON, with whether it is current
		current   bool
	}{
		{"the newest", "v0.3.0", 302, "PAGE/tag/v0.3.0", 0, []string{"springfield v0.3.0 is the newest release"}, nil, "v0.3.0", true},
		{"an older one", "v0.2.0", 302, "PAGE/tag/v0.3.0", 0, []string{"springfield v0.3.0 is there, and this is v0.2.0", "upgrade  " + generator.Page, "then     springfield update --all"}, nil, "v0.3.0", false},
		{"a commit after it", "v0.3.1-0.20261122120000-0123456789ab", 302, "PAGE/tag/v0.3.0", 0, []string{"is not older than the newest release, v0.3.0"}, nil, "v0.3.0", true},
		{"a build from files", "(devel)", 302, "PAGE/tag/v0.3.0", 0, []string{"springfield v0.3.0 is there, and this is (devel)"}, nil, "v0.3.0", false},
		{"no release yet", "(devel)", 302, "PAGE", 1, nil, []string{"error: springfield has no release yet", "hint: see PAGE"}, "", false},
		{"elsewhere", "v0.3.0", 302, "https://example.org/cameronsjo/springfield/releases/tag/v9.0.0", 1, nil, []string{"which is no release of springfield"}, "", false},
		{"a name that begins alike", "v0.3.0", 302, "PAGE/tag/v9.0.0/../../x", 1, nil, []string{"which is no release of springfield"}, "", false},
		{"no version", "v0.3.0", 302, "PAGE/tag/latest", 1, nil, []string{"which is no release of springfield"}, "", false},
		{"a version with more", "v0.3.0", 302, "PAGE/tag/v9.0.0?x=y", 1, nil, []string{"which is no release of springfield"}, "", false},
		{"marks for a terminal", "v0.3.0", 302, "PAGE/tag/v9.0.0%1b[31m", 1, nil, []string{"which is no release of springfield"}, "", false},
		{"a page", "v0.3.0", 200, "", 1, nil, []string{"/latest answered 200 OK", "look at PAGE with a browser"}, "", false},
		{"a fault", "v0.3.0", 503, "", 1, nil, []string{"/latest answered 503"}, "", false},
		{"too much", "v0.3.0", 302, "PAGE/tag/v" + strings.Repeat("9", 1<<20), 1, nil, []string{"error: ask for the newest springfield: ", "hint: look at PAGE"}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				asked++
				if r.Method != http.MethodHead || r.URL.String() != "/latest" || len(r.Header) != 2 || r.Header.Get("Connection") != "close" || r.UserAgent() != "springfield" {
					t.Errorf("asked for %s %s with %v", r.Method, r.URL, r.Header)
				}
				if tt.location != "" {
					out.Header().Set("Location", strings.ReplaceAll(tt.location, "PAGE", "http://"+r.Host))
				}
				out.WriteHeader(tt.status)
			}))
			defer server.Close()
			w := w
			w.version, w.releases = tt.own, server.URL
			got := w.call(t, "version", "--check")
			for _, part := range tt.out {
				if !strings.Contains(got.out, part) {
					t.Errorf("no %q in %q", part, got.out)
				}
			}
			for _, part := range tt.err {
				if part = strings.ReplaceAll(part, "PAGE", server.URL); !strings.Contains(got.err, part) {
					t.Errorf("no %q in %q", part, got.err)
				}
			}
			if got.code != tt.code || asked != 1 {
				t.Errorf("exit code %d, asked %d times\n%s%s", got.code, asked, got.out, got.err)
			}
			var is struct {
				Version, Newest, Error string
				Current                bool
			}
			if err := json.Unmarshal([]byte(w.call(t, "version", "--check", "--json").out), &is); err != nil || is.Newest != tt.newest || is.Current != tt.current || (is.Error != "") != (tt.code != 0) {
				t.Errorf("%+v, %v", is, err)
			}
		})
	}
}

// Without a network there is an error that says what to do, and without --check nothing is asked.
func TestVersionCheckOffline(t *testing.T) {
	w := newWorld(t)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("version asked") }))
	w.releases = server.URL
	w.must(t, "version")
	w.must(t, "version", "--json")
	server.Close()
	if got := w.call(t, "version", "--check"); got.code != failed || !strings.Contains(got.err, "error: ask for the newest springfield: "+server.URL+"/latest: dial tcp") || !strings.Contains(got.err, "hint: look at "+server.URL) {
		t.Errorf("exit code %d\n%s%s", got.code, got.out, got.err)
	}
}
