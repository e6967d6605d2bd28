package release

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/windows/registry"
)

//go:embed install.ps1
var script string

const standIn = `package main

import (
	"fmt"
	"io"
	"os"
)

var version string

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("springfield", version)
		return
	}
	fmt.Println("waits")
	io.Copy(io.Discard, os.Stdin)
}
`

// builds makes two small programs, an old springfield and a new one.
func builds(t *testing.T) (older, newer string) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	must(t, os.WriteFile(source, []byte(standIn), 0o644))
	var made [2]string
	for i, version := range []string{"v0.1.0", "v0.2.0"} {
		program := filepath.Join(dir, version+".exe")
		if out, err := exec.Command("go", "build", "-ldflags=-X main.version="+version, "-o", program, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(program)
		must(t, err)
		made[i] = string(data)
	}
	return made[0], made[1]
}

// lists is SHA256SUMS with this program for every kind of processor.
func lists(program string) string {
	sum := sha256.Sum256([]byte(program))
	return fmt.Sprintf("%x  springfield-windows-amd64.exe\n%x  springfield-windows-arm64.exe\n", sum, sum)
}

// serves answers with SHA256SUMS, and with the program under every other name.
func serves(t *testing.T, sums, program string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/install.ps1"):
			fmt.Fprint(w, strings.NewReplacer("https://github.com/cameronsjo/springfield", "http://"+r.Host, "$protocols = '=https'", "$protocols = '=http,https'").Replace(script))
		case strings.HasSuffix(r.URL.Path, "/SHA256SUMS") && sums != "":
			fmt.Fprint(w, sums)
		case strings.HasSuffix(r.URL.Path, ".exe") && program != "":
			fmt.Fprint(w, program)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// powershell runs a command in a PowerShell whose user has this home, and says how it ended.
func powershell(t *testing.T, shell, home, command string) (code int, said string) {
	t.Helper()
	cmd := exec.Command(shell, "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-Command", command)
	// Windows PowerShell cannot load the modules of a PowerShell 7 that has started these tests.
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(strings.ToLower(e), "psmodulepath=") })
	cmd.Dir, cmd.Env = home, append(env, "LOCALAPPDATA="+home, "USERPROFILE="+home, "CURL_HOME="+home, "NO_COLOR=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// startScript is the command that runs a script with options.
func startScript(t *testing.T, text, options string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "install.ps1")
	must(t, os.WriteFile(file, []byte(text), 0o644))
	return fmt.Sprintf("& ([scriptblock]::Create((Get-Content -Raw -LiteralPath '%s'))) %s", file, options)
}

// unwrapped is a text without blanks: PowerShell breaks the lines of an error anywhere, and draws "|" before them.
func unwrapped(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), ""), "|", "")
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return strings.Join(all, " ")
}

func holds(t *testing.T, file, want string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || string(data) != want {
		t.Errorf("%s has %d bytes, not these %d: %v", file, len(data), len(want), err)
	}
}

// Windows PowerShell is on every Windows; PowerShell 7 is tried where it is.
func shells() []string {
	all := []string{"powershell"}
	if _, err := exec.LookPath("pwsh"); err == nil {
		all = append(all, "pwsh")
	}
	return all
}

func TestInstallPS1(t *testing.T) {
	older, newer := builds(t)
	url := serves(t, lists(newer), newer)
	for _, shell := range shells() {
		home := filepath.Join(t.TempDir(), "home of Ned's")
		folder := filepath.Join(home, "Programs", "springfield")
		target := filepath.Join(folder, "springfield.exe")
		must(t, os.Mkdir(home, 0o755))
		code, said := powershell(t, shell, home, "irm "+url+"/releases/latest/download/install.ps1 | iex")
		if code != 0 || !strings.Contains(said, "springfield v0.2.0 is installed: "+target) || !strings.Contains(said, "is not on your PATH") || names(t, folder) != "springfield.exe" {
			t.Fatalf("%s: exit %d\n%s%s", shell, code, said, names(t, folder))
		}
		holds(t, target, newer)
		again := startScript(t, script, "-From "+url)
		if code, said := powershell(t, shell, home, again); code != 0 || !strings.Contains(said, "This springfield is already installed: "+target) {
			t.Errorf("%s, again: exit %d\n%s", shell, code, said)
		}

		// An older one is replaced while it runs.
		must(t, os.WriteFile(target, []byte(older), 0o755))
		running := exec.Command(target, "wait")
		input, err := running.StdinPipe()
		must(t, err)
		must(t, running.Start())
		code, said = powershell(t, shell, home, again)
		if code != 0 || !strings.Contains(said, "springfield v0.2.0 is installed: "+target) {
			t.Errorf("%s, over a running program: exit %d\n%s", shell, code, said)
		}
		holds(t, target, newer)
		input.Close()
		if err := running.Wait(); err != nil {
			t.Errorf("the running program: %v", err)
		}
		if code, said := powershell(t, shell, home, again); code != 0 || names(t, folder) != "springfield.exe" {
			t.Errorf("%s: exit %d\n%sleft: %s", shell, code, said, names(t, folder))
		}
	}
}

// After a failure the old program is as it was, and nothing is beside it.
func TestInstallPS1Fails(t *testing.T) {
	older, newer := builds(t)
	line, _, _ := strings.Cut(lists(newer), "\n")
	for name, c := range map[string]struct{ sums, program, options, want string }{
		"another program":  {sums: lists(newer), program: older, want: "does not have the SHA-256"},
		"a page":           {sums: "<!DOCTYPE html>\n", program: "<!DOCTYPE html>\n", want: "has 0 lines for"},
		"two lines":        {sums: lists(newer) + lists(older), program: newer, want: "has 2 lines for"},
		"no end":           {sums: line, program: newer, want: "has 0 lines for"},
		"a path":           {sums: strings.ReplaceAll(lists(newer), "  ", "  ../"), program: newer, want: "has 0 lines for"},
		"no sums":          {program: newer, want: "cannot fetch"},
		"no program":       {sums: lists(newer), want: "cannot fetch"},
		"http":             {options: "-From http://mirror.example/", want: "-From takes an https address"},
		"http with a name": {options: "-From http://127.0.0.1:80@mirror.example/", want: "-From takes an https address"},
		"a quote":          {options: `-From 'https://mirror.example/" --output x'`, want: "-From takes an https address"},
		"not a version":    {options: "-Version latest", want: "latest is not a version"},
		"two releases":     {options: "-Version v1.2.3 -From https://mirror.example", want: "cannot be combined"},
	} {
		for _, shell := range shells() {
			home, folder := t.TempDir(), t.TempDir()
			target := filepath.Join(folder, "springfield.exe")
			must(t, os.WriteFile(target, []byte(older), 0o755))
			options := c.options
			if options == "" {
				options = "-From " + serves(t, c.sums, c.program)
			}
			code, said := powershell(t, shell, home, startScript(t, script, options+" -Dir '"+folder+"'"))
			if code == 0 || !strings.Contains(unwrapped(said), unwrapped(c.want)) || !strings.Contains(unwrapped(said), "springfield:error:") {
				t.Errorf("%s in %s: exit %d\n%s", name, shell, code, said)
			}
			if holds(t, target, older); names(t, folder) != "springfield.exe" {
				t.Errorf("%s in %s: left %s", name, shell, names(t, folder))
			}
		}
	}
}

// A script that was cut on its way does nothing.
func TestInstallPS1Cut(t *testing.T) {
	_, newer := builds(t)
	url := serves(t, lists(newer), newer)
	for _, shell := range shells() {
		for part := 1; part < 12; part++ {
			home, text := t.TempDir(), script[:len(script)*part/12]
			if part == 11 {
				text = strings.TrimSuffix(strings.TrimSpace(script), "}")
			}
			if code, said := powershell(t, shell, home, startScript(t, text, "-From "+url)); names(t, home) != "" {
				t.Errorf("%s, part %d: exit %d\n%s%s", shell, part, code, said, names(t, home))
			}
		}
	}
}

// -AddToPath writes one entry, once, and leaves what others wrote. The test has a key of its own.
func TestInstallPS1AddToPath(t *testing.T) {
	const test, before = `Software\springfield-test`, `%USERPROFILE%\bin;C:\tools`
	_, newer := builds(t)
	url := serves(t, lists(newer), newer)
	text := strings.Replace(script, "OpenSubKey('Environment', $true)", "OpenSubKey('"+test+"', $true)", 1)
	if text == script {
		t.Fatal("install.ps1 opens its key in another way")
	}
	for _, shell := range shells() {
		key, _, err := registry.CreateKey(registry.CURRENT_USER, test, registry.ALL_ACCESS)
		must(t, err)
		t.Cleanup(func() { registry.DeleteKey(registry.CURRENT_USER, test) })
		defer key.Close()
		must(t, key.SetExpandStringValue("Path", before))
		folder := t.TempDir()
		for range 2 {
			if code, said := powershell(t, shell, t.TempDir(), startScript(t, text, "-AddToPath -From "+url+" -Dir '"+folder+"'")); code != 0 || !strings.Contains(said, "is on your PATH in every new terminal.") {
				t.Errorf("%s: exit %d\n%s", shell, code, said)
			}
			if path, kind, err := key.GetStringValue("Path"); err != nil || kind != registry.EXPAND_SZ || path != folder+";"+before {
				t.Errorf("%s: PATH is %s of kind %d, %v", shell, path, kind, err)
			}
		}
	}
}
