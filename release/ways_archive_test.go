//go:build snapshot

package release

import (
	"os"
	"path/filepath"
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
