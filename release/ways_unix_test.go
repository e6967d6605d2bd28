//go:build snapshot && unix

package release

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// makeNPM makes the npm packages of the release in dist/, and has npm pack some of them, beside them.
func makeNPM(t *testing.T, names ...string) (dir string) {
	t.Helper()
	asset(t, "metadata.json")
	dir = filepath.Join(t.TempDir(), "npm")
	start(t, "..", os.Environ(), "", "node", "release/npm/packages.js", "dist", dir)
	args := []string{"pack", "--silent", "--ignore-scripts", "--cache", filepath.Join(filepath.Dir(dir), "cache")}
	for _, name := range names {
		args = append(args, "./"+name)
	}
	start(t, dir, os.Environ(), "", "npm", args...)
	return dir
}

func tarball(t *testing.T, dir, name string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "cameronsjo-"+name+"-[0-9]*.tgz"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has %v of %s, %v", dir, found, name, err)
	}
	return found[0]
}

// nodeHome is an empty home with npm. Its registry is the given one, and it has a token that only this one knows.
func nodeHome(t *testing.T, registry string) (home string, env []string) {
	t.Helper()
	home, env = emptyHome(t, "node", "npm", "npx", "env")
	host := strings.TrimPrefix(registry, "http:")
	settings := "registry=" + registry + "\n" + host + ":_authToken=made-up\naudit=false\nfund=false\nupdate-notifier=false\nfetch-retries=0\n"
	must(t, os.WriteFile(filepath.Join(home, ".npmrc"), []byte(settings), 0o600))
	prefix := filepath.Join(home, "node global")
	return home, append(env, "npm_config_prefix="+prefix, "PATH="+filepath.Join(prefix, "bin")+":"+variable(t, env, "PATH"))
}

func TestNPM(t *testing.T) {
	packages := []string{"springfield"}
	for machine := range machines {
		packages = append(packages, "springfield-"+machine)
	}
	dir := makeNPM(t, packages...)
	t.Run("again", func(t *testing.T) { // gives the same bytes, whatever the times of the files are
		names := []string{"springfield", "springfield-linux-x64", "springfield-linux-arm64"}
		again := makeNPM(t, names...)
		for _, name := range names {
			if !bytes.Equal(read(t, tarball(t, dir, name)), read(t, tarball(t, again, name))) {
				t.Errorf("%s differs", name)
			}
		}
	})
	t.Run("files", func(t *testing.T) { // two are enough where there is no registry
		home, env := nodeHome(t, "http://127.0.0.1:9/") // does not answer
		var machine string
		parse(t, start(t, home, env, "", resolve(t, "node", env), "--print", "JSON.stringify(process.platform + '-' + process.arch)"), &machine)
		start(t, home, env, "", resolve(t, "npm", env), "install", "--global", "--offline", tarball(t, dir, "springfield"), tarball(t, dir, "springfield-"+machine))
		journey(t, "springfield", env)
	})

	// Everything through a registry: publish, install, use, remove.
	store := &registry{packages: map[string]*packument{}, files: map[string][]byte{}}
	server := httptest.NewServer(store)
	defer server.Close()
	publishAgain(t, dir, store, server.URL+"/")
	name := "@cameronsjo/springfield@" + npmVersion(t, dir)
	for way, use := range map[string]func(t *testing.T, name, home string, env []string){"install": installGlobally, "npx": runByNPX} {
		t.Run(way, func(t *testing.T) {
			home, env := nodeHome(t, server.URL+"/")
			use(t, name, home, env)
		})
	}
	scratch.ErrorIf(t, len(store.asked) > 0, "npm asked for %q, too", store.asked)
}

func installGlobally(t *testing.T, name, home string, env []string) {
	t.Helper()
	start(t, home, env, "", resolve(t, "npm", env), "install", "--global", name)
	prefix := filepath.Join(home, "node global")
	installed, err := filepath.Glob(filepath.Join(prefix, "lib", "node_modules", "@cameronsjo", "springfield", "node_modules", "@cameronsjo", "*"))
	if err != nil || len(installed) != 1 {
		t.Errorf("installed %v, %v: only the package for this machine was wanted", installed, err)
	}
	journey(t, "springfield", env)
	cancelAtTerminal(t, home, env)
	named(t, home, "node_modules", "node global")
	// The command of docs/install.md removes it.
	start(t, home, env, "", resolve(t, "npm", env), "uninstall", "--global", "@cameronsjo/springfield")
	scratch.Equal(t, scratch.ListFiles(t, prefix), nil)
}

// cancelAtTerminal begins an interview at a terminal. Its Ctrl-C reaches the launcher and the program.
func cancelAtTerminal(t *testing.T, home string, env []string) {
	t.Helper()
	cmd := exec.Command(resolve(t, "springfield", env), "init", "cancelled")
	cmd.Dir, cmd.Env = home, append(env, "TERM=xterm")
	terminal, err := pty.Start(cmd)
	must(t, err)
	defer terminal.Close()
	var screen strings.Builder
	for buf, typed := make([]byte, 4096), false; ; {
		n, err := terminal.Read(buf)
		screen.Write(buf[:n])
		if err != nil { // the last process at the terminal has ended
			break
		}
		if !typed && strings.Contains(screen.String(), "Which plugins") {
			typed = true
			_, err := terminal.WriteString("\x03")
			must(t, err)
		}
	}
	_ = cmd.Wait()
	if _, err := os.Stat(filepath.Join(home, "cancelled")); cmd.ProcessState.ExitCode() != 130 || !strings.Contains(screen.String(), "springfield: cancelled") || err == nil {
		t.Errorf("%v, %v; the terminal shows\n%s", cmd.ProcessState, err, &screen)
	}
}

// npx leaves no command behind, and what is written leads to nothing in its cache.
func runByNPX(t *testing.T, name, home string, env []string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		return start(t, home, env, "", resolve(t, "npx", env), append([]string{"--yes"}, args...)...)
	}
	if version := run(name, "version"); !strings.HasPrefix(version, "springfield v") {
		t.Errorf("npx printed %s", version)
	}
	run(name, "init", "--yes", "--owner", "Ned Flanders")
	run(name, "enable", "ned-flanders", "--no-activate")
	decisions(t, home, env)
	named(t, home, "node_modules", "_npx")
	run(name, "disable", "ned-flanders")

	// Without the program's package the launcher says what to type, and that works.
	env = append(env, "npm_config_omit=optional", "npm_config_cache="+filepath.Join(home, "another cache"))
	cmd := exec.Command(resolve(t, "npx", env), "--yes", name, "version")
	cmd.Dir, cmd.Env = home, append(env, "TERM=xterm")
	out, err := cmd.CombinedOutput()
	_, hint, found := strings.Cut(string(out), "springfield: hint: npx ")
	if err == nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	if version := run(append(strings.Fields(hint), "version")...); !strings.HasPrefix(version, "springfield v") {
		t.Errorf("npx %s printed %s", hint, version)
	}
}

// publishAgain publishes to a registry that fails at first.
func publishAgain(t *testing.T, dir string, store *registry, address string) {
	t.Helper()
	_, env := nodeHome(t, address)
	store.broken = "@cameronsjo/springfield-linux-x64"
	if out, err := publishTo(t, dir, env); err == nil || len(store.packages) != 3 || !strings.Contains(out, "the disk is full") {
		t.Fatalf("published %d packages, %v\n%s", len(store.packages), err, out)
	}
	store.broken = ""
	out, err := publishTo(t, dir, env)
	if err != nil || strings.Count(out, "is there already") != 3 || strings.Count(out, "is published") != 4 || len(store.packages) != 7 {
		t.Fatalf("the second run: %v\n%s", err, out)
	}
	if out, err = publishTo(t, dir, env); err != nil || strings.Count(out, "is there already") != 7 {
		t.Fatalf("the third run: %v\n%s", err, out)
	}
	tag := "latest"
	if strings.Contains(npmVersion(t, dir), "-") {
		tag = "next"
	}
	for name, p := range store.packages {
		scratch.ErrorIf(t, p.Tags[tag] != npmVersion(t, dir), "%s has the tags %v", name, p.Tags)
	}
}

// publishTo publishes as the forge's CI does, without the statement that only it can make.
func publishTo(t *testing.T, dir string, env []string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "npm/publish.sh", dir, "--provenance=false")
	cmd.Env = append(env, "PATH="+variable(t, env, "PATH")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func npmVersion(t *testing.T, dir string) string {
	t.Helper()
	var m struct{ Version string }
	must(t, json.Unmarshal(read(t, filepath.Join(dir, "springfield", "package.json")), &m))
	return m.Version
}

// named fails for files of the suite, of settings and of springfield's state that have one of these words.
func named(t *testing.T, home string, words ...string) {
	t.Helper()
	looked := 0
	for _, path := range scratch.ListFiles(t, home) {
		rest, _ := filepath.Rel(home, path)
		if top, _, _ := strings.Cut(rest, string(filepath.Separator)); slices.Contains([]string{"node global", ".npm", ".npmrc", "another cache"}, top) {
			continue
		}
		looked++
		data := read(t, path)
		for _, word := range words {
			scratch.ErrorIf(t, bytes.Contains(data, []byte(word)), "%s has %s", path, word)
		}
	}
	scratch.ErrorIf(t, looked < 10, "%d files found", looked)
}

// registry is an npm registry on the loopback: it has what was published to it, and knows of nothing else.
type registry struct {
	mu       sync.Mutex
	packages map[string]*packument
	files    map[string][]byte // by the path of their address
	asked    []string          // requests for what it does not have, but for packages that are not there
	broken   string            // a package that cannot be published at the moment
}

// packument is what a registry says about a package.
type packument struct {
	Name     string                    `json:"name"`
	Tags     map[string]string         `json:"dist-tags"`
	Versions map[string]map[string]any `json:"versions"`
}

// publication is what npm publish sends.
type publication struct {
	packument
	Attachments map[string]struct {
		Data []byte `json:"data"`
	} `json:"_attachments"`
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(req.URL.Path, "/")
	data, isFile := r.files[name]
	switch {
	case req.Method == http.MethodPut && strings.HasPrefix(name, "@"):
		if code, err := r.publish(name, req.Body); err != nil {
			http.Error(w, fmt.Sprintf(`{"error": %q}`, err), code)
			return
		}
		fmt.Fprint(w, `{"ok": true}`)
	case isFile:
		_, _ = w.Write(data)
	case r.packages[name] != nil:
		_ = json.NewEncoder(w).Encode(r.packages[name])
	default:
		if !strings.HasPrefix(name, "@cameronsjo/springfield") {
			r.asked = append(r.asked, req.Method+" "+req.URL.Path)
		}
		http.Error(w, `{"error": "not found"}`, http.StatusNotFound)
	}
}

// publish takes a package that was not there in that version.
func (r *registry) publish(name string, body io.Reader) (code int, err error) {
	var p publication
	if err := json.NewDecoder(body).Decode(&p); err != nil {
		return http.StatusBadRequest, err
	}
	if name == r.broken {
		return http.StatusInsufficientStorage, errors.New("the disk is full")
	}
	at := r.packages[name]
	if at == nil {
		at = &packument{Name: name, Tags: map[string]string{}, Versions: map[string]map[string]any{}}
	}
	for version, about := range p.Versions {
		if at.Versions[version] != nil {
			return http.StatusForbidden, errors.New("you cannot publish over the previously published versions")
		}
		for file, sent := range p.Attachments {
			dist, _ := about["dist"].(map[string]any)
			sum := sha512.Sum512(sent.Data)
			if dist["integrity"] != "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) {
				return http.StatusBadRequest, fmt.Errorf("%s does not have the checksum %v", file, dist["integrity"])
			}
			address, _ := dist["tarball"].(string)
			_, address, _ = strings.Cut(strings.TrimPrefix(address, "http://"), "/")
			r.files[address] = sent.Data
		}
		at.Versions[version] = about
	}
	for tag, version := range p.Tags {
		at.Tags[tag] = version
	}
	r.packages[name] = at
	return 0, nil
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
