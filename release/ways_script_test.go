//go:build snapshot && unix

package release

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"testing"
)

// install.sh fetches the real files, from this machine.
func TestScript(t *testing.T) {
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(asset(t, "SHA256SUMS")))))
	t.Cleanup(server.Close)
	home, env := emptyHome(t, append(machineTools[:len(machineTools):len(machineTools)], "uname", "curl", summer)...)
	said := start(t, home, env, script, resolve(t, "sh", env), "-s", "--", "--from", server.URL)
	program := filepath.Join(home, ".local", "bin", "springfield")
	if !regexp.MustCompile(`(?m)^springfield \S+ go\S+ is installed: ` + regexp.QuoteMeta(program) + `$`).MatchString(said) {
		t.Errorf("install.sh said\n%s", said)
	}
	journey(t, program, env)
}
