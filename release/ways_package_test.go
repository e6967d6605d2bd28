//go:build linux && snapshot

package release

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A Debian package is unpacked below a directory, as dpkg does it below /, without root's rights.
func TestDeb(t *testing.T) {
	home, env := emptyHome(t, "dpkg-deb", "tar", "gzip")
	root := filepath.Join(filepath.Dir(home), "root")
	dpkg, file := resolve(t, "dpkg-deb", env), packageFile(t, "springfield_*_"+runtime.GOARCH+".deb")
	start(t, home, env, "", dpkg, "-x", file, root)
	fields := start(t, home, env, "", dpkg, "-f", file)
	scratch.Holds(t, "the package", fields,
		"Package: springfield\n", "Architecture: "+runtime.GOARCH+"\n", "Maintainer: The springfield authors <")
	scratch.Lacks(t, "the program needs nothing", fields, "Depends:")
	installed(t, root, "usr/share/zsh/vendor-completions/_springfield", "usr/share/doc/springfield/copyright", "usr/share/doc/springfield/THIRD_PARTY_LICENSES", "usr/share/doc/springfield/changelog.gz")
	journey(t, filepath.Join(root, "usr/bin/springfield"), env)
}

// The same with an rpm. Its paths are absolute, so cpio has to be told to stay in the directory.
func TestRPM(t *testing.T) {
	home, env := emptyHome(t, "rpm", "rpm2cpio", "cpio")
	root := filepath.Join(filepath.Dir(home), "root")
	must(t, os.Mkdir(root, 0o755))
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	file := packageFile(t, "springfield-*."+arch+".rpm")
	start(t, root, append(env, "FILE="+file), "", resolve(t, "sh", env), "-c", `rpm2cpio "$FILE" | cpio -idm --quiet --no-absolute-filenames`)
	if fields := start(t, home, env, "", resolve(t, "rpm", env), "-qp", "--qf", "%{NAME} %{ARCH} %{LICENSE} %{BUILDHOST}", file); fields != "springfield "+arch+" MIT localhost" {
		t.Errorf("the rpm says %q", fields)
	}
	installed(t, root, "usr/share/zsh/site-functions/_springfield", "usr/share/licenses/springfield/LICENSE", "usr/share/licenses/springfield/THIRD_PARTY_LICENSES")
	journey(t, filepath.Join(root, "usr/bin/springfield"), env)
}

// packageFile is the one file of dist/ whose name has a form.
func packageFile(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "dist", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("dist/%s: %v, %v; run make snapshot first", pattern, found, err)
	}
	return asset(t, filepath.Base(found[0]))
}

// installed looks for the files of a package, those named and those that both kinds have.
func installed(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, file := range append(files, "usr/share/man/man1/springfield.1.gz", "usr/share/man/man1/springfield-enable.1.gz",
		"usr/share/bash-completion/completions/springfield", "usr/share/fish/vendor_completions.d/springfield.fish") {
		info, err := os.Stat(filepath.Join(root, file))
		if err != nil {
			t.Error(err)
		} else if info.Size() < 50 || info.Mode().Perm() != 0o644 {
			t.Errorf("%s has %d bytes and the mode %v", file, info.Size(), info.Mode())
		}
	}
}
