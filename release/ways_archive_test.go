//go:build snapshot && unix

package release

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// The file without an archive around it is the program.
func TestBareProgram(t *testing.T) {
	home, env := emptyHome(t)
	program := filepath.Join(home, "springfield")
	must(t, os.WriteFile(program, read(t, asset(t, "springfield-"+runtime.GOOS+"-"+runtime.GOARCH)), 0o755))
	journey(t, program, env)
}

// An archive is extracted, and the program is started where it lies.
func TestArchive(t *testing.T) {
	home, env := emptyHome(t, "tar", "gzip")
	start(t, home, env, "", resolve(t, "tar", env), "xzf", asset(t, "springfield-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz"))
	journey(t, filepath.Join(home, "springfield"), env)
}

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
