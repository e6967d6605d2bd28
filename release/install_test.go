//go:build unix

package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

const (
	linuxProgram = "springfield-linux-amd64"
	newProgram   = "#!/bin/sh\ntest \"$*\" = --version && echo springfield v0.2.0 go1.26.8\n"
	oldProgram   = "#!/bin/sh\necho springfield v0.1.0 go1.26.8\n"
)

//go:embed install.sh
var script string

// machineTools is everything that the script starts, besides a shell, a client and a program that computes SHA-256.
var machineTools = []string{"cat", "chmod", "dirname", "grep", "mkdir", "mktemp", "mv", "printf", "rm", "rmdir", "tail", "tr"}

// summer computes SHA-256 here, and clients fetch: Linux and macOS do not have the same ones.
var (
	summer  = here("sha256sum", "shasum")[0]
	clients = here("curl", "wget")
)

// here are those of the programs that this machine has.
func here(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := exec.LookPath(name)
		return err != nil
	})
}

// machine is a home, a PATH with a few tools, and what the system says that it is.
type machine struct {
	home, bin string
	env       []string
}

func newMachine(t *testing.T, dir string, tools ...string) *machine {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	must(t, err)
	m := &machine{home: filepath.Join(dir, "home of Ned's"), bin: filepath.Join(dir, "bin")}
	must(t, errors.Join(os.Mkdir(m.home, 0o755), os.Mkdir(m.bin, 0o755)))
	for _, tool := range slices.Concat(machineTools, []string{"sh"}, tools) {
		path, err := exec.LookPath(tool)
		must(t, err, "this test needs", tool)
		must(t, os.Symlink(path, filepath.Join(m.bin, tool)))
	}
	m.program(t, "uname", `case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac`)
	m.env = []string{"PATH=" + m.bin, "HOME=" + m.home, "SHELL=/bin/bash", "TMPDIR=" + dir}
	return m
}

func (m *machine) program(t *testing.T, name, text string) {
	t.Helper()
	write(t, filepath.Join(m.bin, name), "#!/bin/sh\n"+text+"\n")
}

// target is where the script installs to if it is not told another place.
func (m *machine) target() string { return filepath.Join(m.home, ".local", "bin", "springfield") }

// write writes a program while no test beside it starts one: what that inherits would keep the file open, and
// an open file does not start.
func write(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755)))
}

func contents(t *testing.T, path string) string {
	t.Helper()
	return string(scratch.ReadFile(t, path))
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	return strings.Join(slices.Sorted(maps.Keys(scratch.ReadTree(t, dir))), " ")
}

type outcome struct {
	code        int
	out, errout string
}

func (o outcome) String() string {
	return fmt.Sprintf("exit %d\n%s%s", o.code, o.out, o.errout)
}

// command pipes the script into a shell, as `curl … | sh -s -- ARGS` does.
func (m *machine) command(script string, shell []string, args ...string) *exec.Cmd {
	path, err := exec.LookPath(shell[0])
	if err != nil {
		path = shell[0]
	}
	cmd := exec.Command(path, slices.Concat(shell[1:], []string{"-s", "--"}, args)...)
	cmd.Dir, cmd.Env, cmd.Stdin = m.home, m.env, strings.NewReader(script)
	return cmd
}

func run(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errout.String()}
}

func (m *machine) install(t *testing.T, args ...string) outcome {
	t.Helper()
	return run(t, m.command(script, []string{"sh"}, args...))
}

// impatient is the script with less patience for a server that says nothing.
func impatient(t *testing.T) string {
	t.Helper()
	text := script
	for _, patience := range [][2]string{{"--speed-time 30", "--speed-time 1"}, {"-T30", "-T1"}} {
		if strings.Count(text, patience[0]) != 1 {
			t.Fatalf("install.sh does not have %s once", patience[0])
		}
		text = strings.Replace(text, patience[0], patience[1], 1)
	}
	return text
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func sums() string {
	return sum("another") + "  springfield-linux-arm64\n" + sum(newProgram) + "  " + linuxProgram + "\n" + sum("more") + "  springfield.zip\n"
}

// release answers with these files. A file that it lacks is answered with 404.
func release(files map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}
}

func goodRelease() http.HandlerFunc {
	return release(map[string]string{"SHA256SUMS": sums(), linuxProgram: newProgram})
}

// afterSums gives the sums of a good release, and has all else answered.
func afterSums(rest http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/SHA256SUMS" {
			fmt.Fprint(w, sums())
			return
		}
		rest(w, r)
	}
}

func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return server.URL
}

// has puts an old program in the home, if there is one.
func (m *machine) has(t *testing.T, old bool) {
	t.Helper()
	if old {
		write(t, m.target(), oldProgram)
	}
}

// stillHas says what is wrong after an installation that should not have worked.
func (m *machine) stillHas(t *testing.T, old bool) {
	t.Helper()
	want := map[bool]string{true: ".local/ .local/bin/ .local/bin/springfield"}[old]
	if left := tree(t, m.home); left != want || old && contents(t, m.target()) != oldProgram {
		t.Errorf("in the home is %q, or the old program has changed", left)
	}
}

// isInstalled says what is wrong after an installation that should have worked.
func (m *machine) isInstalled(t *testing.T, got outcome, target string) {
	t.Helper()
	if got.code != 0 || got.errout != "" || !strings.Contains(got.out, "springfield v0.2.0 go1.26.8 is installed: "+target+"\n") {
		t.Fatalf("%v", got)
	}
	scratch.Equal(t, contents(t, target), newProgram, "another program was installed")
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	scratch.Equal(t, tree(t, filepath.Dir(target)+"/."), "springfield", "left beside it")
}

// Every shell that is here installs, into an empty home and over an old program, however it was started.
func TestInstallInEveryShell(t *testing.T) {
	t.Parallel()
	url := serve(t, goodRelease())
	for _, shell := range []string{"sh", "dash", "bash", "bash --posix", "busybox sh", "zsh", "zsh --emulate sh", "mksh", "yash", "sh -u", "sh -e", "sh -C", "sh -f", "sh -a"} {
		words := strings.Fields(shell)
		if len(here(words[0])) == 0 {
			continue // not every machine has them all; sh is everywhere
		}
		m := newMachine(t, t.TempDir(), "curl", summer)
		m.isInstalled(t, run(t, m.command(script, words, "--from", url)), m.target())
		scratch.Equal(t, tree(t, m.home), ".local/ .local/bin/ .local/bin/springfield", shell, "in the home")
	}
}

// Any one client and any one program that computes SHA-256 is enough; without one of the two nothing is installed.
func TestInstallTools(t *testing.T) {
	t.Parallel()
	url := serve(t, goodRelease())
	for tools, want := range map[string]string{
		"curl sha256sum": "", "curl shasum": "", "curl openssl": "", "wget sha256sum": "", "busybox sha256sum": "",
		"curl":      "springfield: error: nothing here computes SHA-256, so the download could not be verified\nspringfield: hint: install sha256sum, shasum or openssl\n",
		"sha256sum": "springfield: error: neither curl nor wget is here\nspringfield: hint: install one of them\n",
	} {
		names := strings.Fields(tools)
		if len(here(strings.Fields(tools)...)) < len(names) {
			continue // not every machine has them all
		}
		if slices.Contains(names, "shasum") {
			names = append(names, "perl")
		}
		m := newMachine(t, t.TempDir(), names...)
		if names[0] == "busybox" {
			m.program(t, "wget", `exec busybox wget "$@"`)
		}
		got := m.install(t, "--from", url)
		if want == "" {
			m.isInstalled(t, got, m.target())
		} else if got.code != 1 || got.errout != want || tree(t, m.home) != "" {
			t.Errorf("%s: %v\n%s", tools, got, tree(t, m.home))
		}
	}
}

// fault is a server that does not give what it should, and what is said then.
type fault struct {
	handler http.HandlerFunc
	want    string
}

func faults() map[string]fault {
	line := sum(newProgram) + "  " + linuxProgram + "\n"
	listed := func(sums string) http.HandlerFunc {
		return release(map[string]string{"SHA256SUMS": sums, linuxProgram: newProgram})
	}
	fetched := func(program string) http.HandlerFunc {
		return release(map[string]string{"SHA256SUMS": sums(), linuxProgram: program})
	}
	page := "<!DOCTYPE html>\n<html><body>Sign in to the network</body></html>\n"
	return map[string]fault{
		"another program":       {fetched(oldProgram), "does not have the SHA-256 that SHA256SUMS says; nothing was installed"},
		"no bytes":              {fetched(""), "does not have the SHA-256"},
		"a program that fails":  {listedProgram("#!/bin/sh\nexit 7\n"), "was fetched and verified, but does not start from"},
		"a page as sums":        {listed(page), "has no line for " + linuxProgram},
		"sums without the line": {listed(sum("x") + "  springfield-linux-arm64\n"), "has no line for"},
		"sums cut in the name":  {listed(line[:70]), "has no line for"},
		"sums cut at the end":   {listed(strings.TrimSuffix(line, "\n")), "has no line for"},
		"two digests":           {listed(line + sum("x") + "  " + linuxProgram + "\n"), "has two lines for"},
		"a path":                {listed(sum(newProgram) + "  ../" + linuxProgram + "\n" + sum(newProgram) + "  ./" + linuxProgram + "\n"), "has no line for"},
		"more after the name":   {listed(sum(newProgram) + "  " + linuxProgram + " x\n"), "has no line for"},
		"a digest too short":    {listed(line[1:]), "has no SHA-256 for"},
		"a digest in capitals":  {listed(strings.ToUpper(line[:64]) + line[64:]), "has no SHA-256 for"},
		"a command as digest":   {listed("$(touch${IFS}x)  " + linuxProgram + "\n"), "has no SHA-256 for"},
		"no sums":               {release(nil), "cannot fetch"},
		"no program":            {release(map[string]string{"SHA256SUMS": sums()}), "cannot fetch"},
		"cut in the middle": {afterSums(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "4000000")
			fmt.Fprint(w, newProgram)
		}), "cannot fetch"},
		"no answer": {afterSums(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "cannot fetch"},
		"an answer without an end": {func(w http.ResponseWriter, r *http.Request) {
			for part := bytes.Repeat([]byte("donut\n"), 10000); ; {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		}, "cannot fetch"},
	}
}

// listedProgram serves a program with its true digest.
func listedProgram(program string) http.HandlerFunc {
	return release(map[string]string{"SHA256SUMS": sum(program) + "  " + linuxProgram + "\n", linuxProgram: program})
}

// After a failure an empty home is empty, and an old program is as it was, with nothing beside it.
func TestInstallFails(t *testing.T) {
	for name, fault := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := serve(t, fault.handler)
			for i, old := range []bool{false, true} {
				client := clients[i%len(clients)]
				m := newMachine(t, t.TempDir(), client, summer)
				m.has(t, old)
				text := script
				if name == "no answer" {
					text = impatient(t)
				}
				got := run(t, m.command(text, []string{"sh"}, "--from", url))
				if got.code != 1 || !strings.Contains(got.errout, "springfield: error: ") || !strings.Contains(got.errout, fault.want) || strings.Contains(got.out, "is installed") {
					t.Errorf("%s: %v", client, got)
				}
				m.stillHas(t, old)
			}
		})
	}
}

// An https server cannot lead to an address without it, and its certificate is verified.
func TestInstallStaysOnHTTPS(t *testing.T) {
	t.Parallel()
	plain := serve(t, goodRelease())
	mux := http.NewServeMux()
	mux.Handle("/good/", http.StripPrefix("/good", goodRelease()))
	mux.Handle("/moved/", http.RedirectHandler("/good/SHA256SUMS", http.StatusFound))
	mux.HandleFunc("/plain/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, plain+strings.TrimPrefix(r.URL.Path, "/plain"), http.StatusFound)
	})
	server := httptest.NewUnstartedServer(mux)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	server.StartTLS()
	t.Cleanup(server.Close)
	for _, client := range clients {
		m := newMachine(t, t.TempDir(), client, summer)
		if got := m.install(t, "--from", server.URL+"/good"); got.code != 1 || !strings.Contains(got.errout, "certificate") {
			t.Errorf("%s, unknown certificate: %v", client, got)
		}
		write(t, filepath.Join(m.home, ".curlrc"), "insecure\n")
		write(t, filepath.Join(m.home, ".wgetrc"), "check_certificate = off\n")
		if got := m.install(t, "--from", server.URL+"/good"); got.code != 1 || !strings.Contains(got.errout, "certificate") {
			t.Errorf("%s, unknown certificate, and a configuration that accepts it: %v", client, got)
		}
		must(t, errors.Join(os.Remove(filepath.Join(m.home, ".curlrc")), os.Remove(filepath.Join(m.home, ".wgetrc"))))
		authority := filepath.Join(m.home, "..", "ca.pem")
		write(t, authority, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
		write(t, filepath.Join(m.home, "..", "wgetrc"), "ca_certificate = "+authority+"\n")
		m.env = append(m.env, "CURL_CA_BUNDLE="+authority, "WGETRC="+filepath.Join(m.home, "..", "wgetrc"))
		if got := m.install(t, "--from", server.URL+"/plain"); got.code != 1 || !strings.Contains(got.errout, "springfield: error: ") {
			t.Errorf("%s, redirect: %v", client, got)
		}
		scratch.Equal(t, tree(t, m.home), "", client, "in the home")
		m.isInstalled(t, m.install(t, "--from", server.URL+"/good"), m.target())
	}
	m := newMachine(t, t.TempDir(), summer)
	for name, c := range map[string]struct{ wget, want string }{
		"a wget that verifies nothing": {`echo "note: TLS certificate validation not implemented" >&2`, "this wget verifies no certificate"},
		"a redirect behind a tab":      {`printf '  Location:\thttp://example.org/SHA256SUMS\r\n' >&2`, "leads to an address without https"},
		"a server that draws":          {`printf 'Server: \033[2J\r\a%s\n' kwik-e-mart >&2; exit 8`, "Server: [2Jkwik-e-mart\n"},
	} {
		m.program(t, "wget", c.wget)
		if got := m.install(t, "--from", server.URL); got.code != 1 || !strings.Contains(got.errout, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Ctrl-C, a closed terminal and kill leave nothing.
func TestInstallInterrupted(t *testing.T) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP) // below nohup it is ignored, and programs inherit that
	t.Cleanup(func() { signal.Stop(asked) })
	for sent, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGHUP: 129, syscall.SIGTERM: 143} {
		for _, old := range []bool{false, true} {
			t.Run(fmt.Sprint(sent, old), func(t *testing.T) {
				t.Parallel()
				half := make(chan bool, 1)
				url := serve(t, afterSums(func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprint(w, newProgram[:20])
					w.(http.Flusher).Flush()
					half <- true
					<-r.Context().Done()
				}))
				m := newMachine(t, t.TempDir(), "curl", summer)
				m.has(t, old)
				cmd := m.command(script, []string{"sh"}, "--from", url)
				cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
				go func() {
					<-half
					syscall.Kill(-cmd.Process.Pid, sent)
				}()
				if got := run(t, cmd); got.code != code {
					t.Errorf("%v", got)
				}
				m.stillHas(t, old)
			})
		}
	}
}

// A script that was cut on its way does nothing, wherever it was cut.
func TestInstallScriptCut(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }))
	m := newMachine(t, t.TempDir(), "curl", summer)
	last := strings.LastIndex(script, "}\n")
	for end := 0; end <= last; end++ {
		if end < last-60 && (end > 0 && script[end-1] != '\n' && end%97 != 0 || scratch.Skipped(3)) {
			continue // every line, some places in lines, and every byte of the end
		}
		if got := run(t, m.command(script[:end], []string{"sh"}, "--from", url)); tree(t, m.home) != "" || asked.Load() != 0 || strings.Contains(got.out, "springfield") {
			t.Fatalf("cut after %d bytes, %q: %v\nin the home is %s, %d requests", end, script[max(0, end-40):end], got, tree(t, m.home), asked.Load())
		}
	}
	if run(t, m.command(script[:last+1], []string{"sh"}, "--from", url)); asked.Load() == 0 {
		t.Error("the whole script does nothing either")
	}
}

// The system says what it is, and the script asks for the program that fits.
func TestInstallChoosesProgram(t *testing.T) {
	t.Parallel()
	install := "springfield: hint: with Go: go install github.com/cameronsjo/springfield/cmd/springfield@latest\n"
	for _, c := range []struct{ system, machine, want string }{
		{"Linux", "x86_64", "springfield-linux-amd64"}, {"Linux", "aarch64", "springfield-linux-arm64"}, {"Linux", "arm64", "springfield-linux-arm64"},
		{"Darwin", "arm64", "springfield-darwin-arm64"}, {"Darwin", "x86_64", "springfield-darwin-amd64"},
		{"Darwin", "x86_64; : Rosetta", "springfield-darwin-arm64"},
		{"Linux", "armv7l", "there is no release for linux on armv7l\n" + install},
		{"FreeBSD", "amd64", "there is no release for FreeBSD\n" + install},
		{"MINGW64_NT-10.0", "x86_64", "for Windows, type in PowerShell: irm https://github.com/cameronsjo/springfield/releases/latest/download/install.ps1 | iex\n"},
	} {
		m := newMachine(t, t.TempDir(), summer)
		m.program(t, "uname", fmt.Sprintf("case $1 in -s) echo %s ;; *) echo %s ;; esac", c.system, c.machine))
		if strings.Contains(c.machine, "Rosetta") {
			m.program(t, "sysctl", `[ "$*" = "-n hw.optional.arm64" ] && echo 1`)
		}
		// A client that has the checksums of one program, and says which it is asked for.
		m.program(t, "curl", fmt.Sprintf(`for url; do :; done; case $url in */SHA256SUMS) echo "%s  %s" ;; *) echo "asked for $url" >&2; exit 22 ;; esac`, sum(""), c.want))
		want := "asked for https://github.com/cameronsjo/springfield/releases/latest/download/" + c.want + "\n"
		if !strings.HasPrefix(c.want, "springfield-") {
			want = c.want
		}
		if got := m.install(t); got.code != 1 || !strings.Contains(got.errout, want) {
			t.Errorf("%s on %s: %v", c.system, c.machine, got)
		}
	}
}

// The options choose the release and where its files are, and take nothing that is not safe.
func TestInstallOptions(t *testing.T) {
	t.Parallel()
	const releases = "https://github.com/cameronsjo/springfield/releases/"
	m := newMachine(t, t.TempDir(), summer)
	m.program(t, "curl", `for url; do :; done; echo "curl $*" >&2; exit 22`)
	https := "--fail --silent --show-error --location --proto =https --proto-redir =https --tlsv1.2 "
	for _, c := range []struct{ args, want string }{
		{"", releases + "latest/download/SHA256SUMS\n"},
		{"", https},
		{"--version v0.1.0", releases + "download/v0.1.0/SHA256SUMS\n"},
		{"--version 0.2.0-rc.1", releases + "download/v0.2.0-rc.1/SHA256SUMS\n"},
		{"--from https://mirror.example/springfield/", " https://mirror.example/springfield/SHA256SUMS\n"},
		{"--from http://127.0.0.1:7/x", "--proto =http,https --proto-redir =http,https --tlsv1.2 "},
		{"--version latest", "error: vlatest is not a version\nspringfield: hint: a version is like v0.1.0\n"},
		{"--version v1.2.3/../../evil", "error: v1.2.3/../../evil is not a version\n"},
		{"--version", "error: --version needs a value\nspringfield: hint: --help lists the options\n"},
		{"--from http://mirror.example/", "error: --from takes an https address\n"},
		{"--from http://127.0.0.1:80@evil.example/", "error: --from takes an https address\n"},
		{"--from http://127.0.0.1.evil.example/", "error: --from takes an https address\n"},
		{"--from -o/tmp/x", "error: --from takes an https address\n"},
		{"--from https://mirror.example --version v1.2.3", "error: --from and --version cannot be combined\n"},
		{"--force", "error: there is no option --force\n"},
	} {
		if got := m.install(t, strings.Fields(c.args)...); got.code != 1 || !strings.Contains(got.errout, c.want) || tree(t, m.home) != "" {
			t.Errorf("%s: %v\n%s", c.args, got, tree(t, m.home))
		}
	}
	if got := m.install(t, "--help"); got.code != 0 || !strings.Contains(got.out, "--dir DIR") || got.errout != "" {
		t.Errorf("--help: %v", got)
	}
	m.env = append(m.env, "HOME=")
	if got := m.install(t); got.code != 1 || got.errout != "springfield: error: HOME is not set, so there is no place to install to\nspringfield: hint: --dir DIR names one\n" {
		t.Errorf("without HOME: %v", got)
	}
}

// The program gets to directories of every kind that can be written, and to no other.
func TestInstallPlaces(t *testing.T) {
	t.Parallel()
	url := serve(t, goodRelease())
	for name, c := range map[string]struct {
		prepare func(m *machine) error
		dir     string
		want    string // an error; without one it works
	}{
		"relative": {dir: "tools of mine/bin"},
		"absolute": {dir: "/new/bin/"},
		"a link to directory": {dir: "link", prepare: func(m *machine) error {
			return errors.Join(os.Mkdir(m.home+"/real", 0o755), os.Symlink("real", m.home+"/link"))
		}},
		"over a link": {dir: "bin", prepare: func(m *machine) error {
			return errors.Join(os.Mkdir(m.home+"/bin", 0o755), os.WriteFile(m.home+"/mine", nil, 0o600), os.Symlink("../mine", m.home+"/bin/springfield"))
		}},
		"a file":              {dir: "file", want: "cannot make ", prepare: func(m *machine) error { return os.WriteFile(m.home+"/file", nil, 0o644) }},
		"a directory as name": {dir: "bin", want: "/bin/springfield is a directory\n", prepare: func(m *machine) error { return os.MkdirAll(m.home+"/bin/springfield", 0o755) }},
		"a link to nothing":   {dir: "link", want: "cannot make ", prepare: func(m *machine) error { return os.Symlink("nothing/there", m.home+"/link") }},
	} {
		m := newMachine(t, t.TempDir(), "curl", summer)
		if c.prepare != nil {
			must(t, c.prepare(m))
		}
		dir := c.dir
		if filepath.IsAbs(dir) {
			dir = m.home + dir
		}
		before := tree(t, m.home)
		got := m.install(t, "--dir", dir, "--from", url)
		if c.want == "" {
			m.isInstalled(t, got, filepath.Join(m.home, c.dir, "springfield"))
			if mine, err := os.ReadFile(m.home + "/mine"); err == nil && len(mine) > 0 {
				t.Errorf("%s: written through the link", name)
			}
		} else if got.code != 1 || !strings.Contains(got.errout, c.want) || !strings.Contains(got.errout, "--dir DIR") || tree(t, m.home) != before {
			t.Errorf("%s: %v\nbefore %s\nafter  %s", name, got, before, tree(t, m.home))
		}
	}
}

// A directory of another user is refused before anything is fetched.
func TestInstallWithoutRights(t *testing.T) {
	scratch.AsUnprivileged(t, func(t *testing.T, dir string) {
		var asked atomic.Int32
		url := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
		m := newMachine(t, dir, "curl", summer)
		must(t, os.Mkdir(filepath.Join(m.home, "bin"), 0o555))
		for _, dir := range []string{"bin", "bin/deeper"} {
			if got := m.install(t, "--dir", dir, "--from", url); got.code != 1 || !strings.Contains(got.errout, "hint: choose a directory that you may write to: --dir DIR\n") || asked.Load() != 0 || tree(t, m.home) != "bin/" {
				t.Errorf("%s: %v\n%d requests; in the home is %s", dir, got, asked.Load(), tree(t, m.home))
			}
		}
	})
}

// The same program is not fetched again, an older one is replaced while it runs, and under every umask others can
// start the new one.
func TestInstallOverAnother(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	good := goodRelease()
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1); good(w, r) }))
	m := newMachine(t, t.TempDir(), "curl", summer)
	sleep, err := exec.LookPath("sleep")
	must(t, err)
	write(t, m.target(), contents(t, sleep))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	old := exec.CommandContext(ctx, m.target(), "60")
	old.Args[0] = "sleep"
	must(t, old.Start())
	m.isInstalled(t, run(t, m.command("umask 077\n"+script, []string{"sh"}, "--from", url)), m.target())
	scratch.Equal(t, old.Process.Signal(syscall.Signal(0)), nil, "the running program has ended")
	cancel()
	old.Wait()

	fetched := asked.Load()
	got := m.install(t, "--from", url)
	if got.code != 0 || !strings.Contains(got.out, "This springfield is already installed: "+m.target()+"\n") || asked.Load() != fetched+1 {
		t.Errorf("%v\n%d more requests", got, asked.Load()-fetched)
	}
	must(t, os.Chmod(m.target(), 0o666))
	m.isInstalled(t, m.install(t, "--from", url), m.target())
}

// What to type is said in the words of the user's shell, and works in those that are here.
func TestInstallSaysPath(t *testing.T) {
	t.Parallel()
	url := serve(t, goodRelease())
	for _, c := range []struct{ shell, dir, want string }{
		{"/bin/bash", "", `    echo 'export PATH="$HOME/.local/bin:$PATH"' >>~/.bashrc` + "\n"},
		{"/usr/bin/zsh", "", `    echo 'export PATH="$HOME/.local/bin:$PATH"' >>"${ZDOTDIR:-$HOME}/.zshrc"` + "\n"},
		{"/usr/bin/fish", "", `    fish_add_path "$HOME/.local/bin"` + "\n"},
		{"/usr/bin/nu", "", `    "\nuse std/util 'path add'\npath add '~/.local/bin'\n" | save --append $nu.config-path` + "\n"},
		{"/bin/bash", "my tools", `    echo 'export PATH="$HOME/my tools:$PATH"' >>~/.bashrc` + "\n"},
		{"/bin/tcsh", "", "\nAdd HOME/.local/bin to your PATH.\n"},
		{"/bin/bash", "a$(touch x)`touch y`\"'", "\nAdd HOME/a$(touch x)`touch y`\"' to your PATH.\n"},
	} {
		m := newMachine(t, t.TempDir(), "curl", summer)
		m.env = append(m.env, "SHELL="+c.shell)
		args := []string{"--from", url}
		if c.dir != "" {
			args = append(args, "--dir", c.dir)
		}
		got := m.install(t, args...)
		if want := strings.Replace(c.want, "Add HOME/", "Add "+m.home+"/", 1); got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%s: %v\nwithout %s", c.shell, got, want)
		}
		if shell, err := exec.LookPath(filepath.Base(c.shell)); err == nil && strings.HasPrefix(c.want, "    ") {
			for _, words := range [][]string{{"-c", strings.TrimSpace(c.want)}, {"-i", "-c", "springfield --version"}} {
				cmd := exec.Command(shell, words...)
				cmd.Dir, cmd.Env = m.home, m.env
				if said := run(t, cmd); words[0] == "-i" && said.out != "springfield v0.2.0 go1.26.8\n" {
					t.Errorf("%s %s: %v", shell, words, said)
				}
			}
		}
	}
}

// Windows PowerShell reads what it fetches, and files, in an encoding of its own.
func TestPowerShellScriptIsASCII(t *testing.T) {
	for number, line := range strings.Split(contents(t, "install.ps1"), "\n") {
		if strings.ContainsFunc(line, func(r rune) bool { return r > '~' || r < ' ' }) {
			t.Errorf("install.ps1:%d: %q", number+1, line)
		}
	}
}
