//go:build snapshot

package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/internal/scratch"
)

var platforms = []string{"linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64", "windows-arm64"}

// programName is the name of a bare program among the assets.
func programName(platform string) string {
	if strings.HasPrefix(platform, "windows-") {
		return "springfield-" + platform + ".exe"
	}
	return "springfield-" + platform
}

func checksums(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(string(read(t, asset(t, "SHA256SUMS")))) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok || len(sum) != 64 {
			t.Fatalf("SHA256SUMS has the line %q", line)
		}
		all[name] = sum
	}
	return all
}

// SHA256SUMS lists every file of a release and nothing else, and is right.
func TestAssets(t *testing.T) {
	listed := checksums(t)
	want := []*regexp.Regexp{regexp.MustCompile(`^install\.(sh|ps1)$`), regexp.MustCompile(`^springfield_[0-9][^~]*_(amd64|arm64)\.deb$`), regexp.MustCompile(`^springfield-[0-9][^~]*\.(x86_64|aarch64)\.rpm$`)}
	counts := make([]int, len(want))
	for name, sum := range listed {
		data := sha256.Sum256(read(t, asset(t, name)))
		scratch.Equal(t, hex.EncodeToString(data[:]), sum, "the checksum of", name, "is wrong")
		for i, pattern := range want {
			if pattern.MatchString(name) {
				counts[i]++
				delete(listed, name)
			}
		}
	}
	scratch.Equal(t, counts, []int{2, 2, 2}, "of scripts, deb and rpm there")
	var names []string
	for _, p := range platforms {
		archive := "springfield-" + p + ".tar.gz"
		if strings.HasPrefix(p, "windows-") {
			archive = "springfield-" + p + ".zip"
		}
		names = append(names, programName(p), programName(p)+".cdx.json", archive)
	}
	slices.Sort(names)
	scratch.Equal(t, slices.Sorted(maps.Keys(listed)), names, "SHA256SUMS has also")
}

func unpacked(t *testing.T, platform string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	if strings.HasPrefix(platform, "windows-") {
		z, err := zip.OpenReader(asset(t, "springfield-"+platform+".zip"))
		must(t, err)
		defer z.Close()
		for _, f := range z.File {
			r, err := f.Open()
			must(t, err)
			files[f.Name], err = io.ReadAll(r)
			must(t, err)
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(read(t, asset(t, "springfield-"+platform+".tar.gz"))))
	must(t, err)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		must(t, err)
		mode := int64(0o644)
		if h.Name == "springfield" {
			mode = 0o755
		}
		if h.Uid != 0 || h.Gid != 0 || h.Mode != mode || h.Typeflag != tar.TypeReg || filepath.IsAbs(h.Name) || strings.Contains(h.Name, "..") {
			t.Errorf("%s: %+v", platform, h)
		}
		files[h.Name], err = io.ReadAll(r)
		must(t, err)
	}
}

// Each archive has the program, its licences, its pages and its completions. Each program is stamped, and names
// modules whose licences are there, and which its bill of materials lists.
func TestArchives(t *testing.T) {
	for _, platform := range platforms {
		files := unpacked(t, platform)
		program := read(t, asset(t, programName(platform)))
		name := "springfield" + filepath.Ext(programName(platform))
		if !bytes.Equal(files[name], program) {
			t.Errorf("%s: the program in the archive is another one", platform)
		}
		for _, file := range []string{"LICENSE", "README.md", "CHANGELOG.md", "THIRD_PARTY_LICENSES", "man/springfield.1", "man/springfield-enable.1",
			"completions/springfield.bash", "completions/_springfield", "completions/springfield.fish", "completions/springfield.ps1"} {
			if len(files[file]) < 50 {
				t.Errorf("%s: %s has %d bytes", platform, file, len(files[file]))
			}
		}
		info, err := buildinfo.Read(bytes.NewReader(program))
		must(t, err)
		if !strings.HasPrefix(info.Main.Version, "v") || slices.Contains(info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "true"}) {
			t.Errorf("%s: made from %s with %v", platform, info.Main.Version, info.Settings)
		}
		var bill struct{ Components []struct{ PURL string } }
		parse(t, string(read(t, asset(t, programName(platform)+".cdx.json"))), &bill)
		bought := ""
		for _, c := range bill.Components {
			bought += c.PURL + "\n"
		}
		scratch.ErrorIf(t, len(info.Deps) < 20, "%s: only %d modules", platform, len(info.Deps))
		for _, dep := range info.Deps {
			licence := regexp.MustCompile("\n=== " + regexp.QuoteMeta(dep.Path) + `(/\S*)? ` + regexp.QuoteMeta(dep.Version) + "\n")
			if !licence.Match(files["THIRD_PARTY_LICENSES"]) {
				t.Errorf("%s: there is no licence of %s %s", platform, dep.Path, dep.Version)
			}
			if !strings.Contains(bought, "pkg:golang/"+dep.Path+"@"+dep.Version) {
				t.Errorf("%s: the bill of materials has no %s %s", platform, dep.Path, dep.Version)
			}
		}
	}
}

// The manifests for other programs name files of this release with their checksums, and the cask every man page.
func TestManifests(t *testing.T) {
	listed := checksums(t)
	winget, err := filepath.Glob(filepath.Join("..", "dist", "winget", "manifests", "*", "*", "*", "*", "*.installer.yaml"))
	if err != nil || len(winget) != 1 {
		t.Fatalf("%d installer manifests, %v", len(winget), err)
	}
	cask := string(read(t, asset(t, "homebrew/Casks/springfield.rb")))
	for _, manifest := range []struct {
		text, pairs string // of a checksum and the name of a file, in either order
		count       int
	}{
		{cask, `sha256 "([0-9a-f]{64})"\s+url "[^"]*/v[0-9][^"/]*/([^"/]+)"`, 4},
		{string(read(t, asset(t, "scoop/springfield.json"))), `"url": "[^"]*/([^"/]+)",[^}]*"hash": "([0-9a-f]{64})"`, 2},
		{string(read(t, winget[0])), `InstallerUrl: \S*/(\S+)\s+InstallerSha256: ([0-9a-f]{64})`, 2},
	} {
		pairs := regexp.MustCompile(manifest.pairs).FindAllStringSubmatch(manifest.text, -1)
		scratch.Equal(t, len(pairs), manifest.count, "files", manifest.text)
		for _, pair := range pairs {
			if listed[pair[1]] != pair[2] && listed[pair[2]] != pair[1] {
				t.Errorf("%s is not the checksum of %s", pair[1], pair[2])
			}
		}
	}
	for file := range unpacked(t, "darwin-arm64") {
		if strings.HasPrefix(file, "man/") && !strings.Contains(cask, "manpage \""+file+"\"") {
			t.Errorf("the cask does not install %s: list it in .goreleaser.yaml", file)
		}
	}
	if !strings.Contains(cask, `"{{staged_path}}/springfield"`) || strings.Contains(cask, "postflight do") {
		t.Errorf("the cask does not take the quarantine away:\n%s", cask)
	}
}
