//go:build e2e

// A host is the npm package with the program, pinned by its sha512, without launchers and optional modules. It is
// fetched while the tests of Claude Code run. A session is headless, in a world without files of the host: flags,
// variables and a file outside of the home give it model and login, except for Gemini CLI.

package e2e

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cameronsjo/springfield/internal/scratch"
)

// A host is an agent other than Claude Code.
type host struct {
	name    string // as --host has it
	title   string
	version string
	program string            // where it lies in the package, a pattern
	script  bool              // the program is a script for node
	from    map[string]source // by platform; "" stands for all of them

	home   map[string]string // files that it has in the home beforehand
	theirs map[string]string // settings as no tool would write them, with what springfield edits in the middle
	mine   bool              // one of these is a hook that writes a line into ~/mine at each stop
	trusts []string          // arguments of a session that has hooks trusted, instead of the screen

	// argv is a headless session, env what it needs; aside is a directory outside of the home, for a file that
	// says where the model is.
	argv func(url, aside, prompt string) []string
	env  func(url, aside string) []string
	// shell is a call of its tool for commands.
	shell func(command string) Block
}

// source is a package of npm and `npm view PACKAGE dist.integrity`.
type source struct{ spec, integrity string }

// key is for variables that must be set and that the stand-in does not look at.
const key = "made-up"

var hosts = []*host{
	{
		name: "codex", title: "Codex", version: "0.169.0", program: "vendor/*/bin/codex",
		from: map[string]source{
			"linux-x64":        {"@openai/codex@0.169.0-linux-x64", codexLinuxX64},
			"linux-x64-musl":   {"@openai/codex@0.169.0-linux-x64", codexLinuxX64}, // linked statically
			"linux-arm64":      {"@openai/codex@0.169.0-linux-arm64", codexLinuxArm64},
			"linux-arm64-musl": {"@openai/codex@0.169.0-linux-arm64", codexLinuxArm64},
			"darwin-x64":       {"@openai/codex@0.169.0-darwin-x64", "sha512-K1FKSsSLl9v3z5TeagBQXyQRDBIGB5Jncy5dxsRxwT3aaTqN3AI8VrCfoxBxKMOOU9O2QX1vg7WkBwNVth/s9A=="},
			"darwin-arm64":     {"@openai/codex@0.169.0-darwin-arm64", "sha512-5WsWFBbVP78D+6FvNo1MMVxLPZdmcoQlqVJFrF4qx/TmvneLnMQKtLyXkUo54XOTDfoYKpNouTJ/F7gTVA8FnQ=="},
		},
		theirs: map[string]string{".codex/hooks.json": "{\r\n\t\"hooks\":   {\"Stop\": [\r\n\t\t" + mine + "\r\n\t]}}", ".codex/config.toml": "# mine\n[history]\nmax_bytes   =   1000000   # enough\n\n\n[tui]\nnotifications = [ \"a\",\t\"b\" ]\n\n# the end"},
		mine:   true,
		trusts: []string{"--dangerously-bypass-hook-trust"},
		argv: func(url, aside, prompt string) []string {
			return []string{"exec", "--skip-git-repo-check", "--sandbox", "danger-full-access",
				"-c", `model_providers.standin={name="stand-in", base_url="` + url + `/v1", wire_api="responses", env_key="STANDIN_KEY"}`,
				"-c", `model_provider="standin"`, "-c", `model="stand-in"`, prompt}
		},
		env:   func(url, aside string) []string { return []string{"STANDIN_KEY=" + key} },
		shell: func(c string) Block { return Block{Tool: "exec_command", Input: map[string]any{"cmd": c}} },
	},
	{
		name: "copilot", title: "GitHub Copilot CLI", version: "1.0.102", program: "copilot",
		from: map[string]source{
			"linux-x64":        {"@github/copilot-linux-x64@1.0.102", "sha512-eGHPbsP0p2QgfVZCjtbGBFZPBOJQ0DN7xIbBRAo7oG8b1zfLirQIdfI4h8Iy68Dv2cKJGJZg2/EO7W7KpIMJOw=="},
			"linux-x64-musl":   {"@github/copilot-linuxmusl-x64@1.0.102", "sha512-laj1/lFWwkX7P1jAVm2DNNxRljLkhfKI4XDONIA5njiU+PPvWVH38gIvYU+lNTgJ0QT7CSV6Jj2fuqPx0Go+5Q=="},
			"linux-arm64":      {"@github/copilot-linux-arm64@1.0.102", "sha512-5rO0B2/AduCekrE+aUzipySKZxZY2b/tVRZ8Suy8ymPFNC0Q7HQiQ8DZhxj+3RhHR8rU2Z8KOJVAbtMlROX6+A=="},
			"linux-arm64-musl": {"@github/copilot-linuxmusl-arm64@1.0.102", "sha512-PyuqTcgTKd4XrtSRKAQgfIK41cVzHArSNM8f8XS39dQc75aUsKG+MPd5rLwmqqhtbWVFgI+PSS/X18/Qo4EDTg=="},
			"darwin-x64":       {"@github/copilot-darwin-x64@1.0.102", "sha512-n4jBdS+QxrXWiQ9v9tUBZUcJ0hlWVG75Qs3Gzo25BRzlWQSSd5eCNrfOVf4Cr95mAK/L54dne+8rSwASNRG7qA=="},
			"darwin-arm64":     {"@github/copilot-darwin-arm64@1.0.102", "sha512-M4Jwxvw9CzxQUVoAz4UFbwFw9SpjUXbMzD481ifFJ+o/GXYJy5+sYxWRSfGhPA9e/w4DlWxdpkSQFnagl/AYbA=="},
		},
		theirs: map[string]string{".copilot/settings.json": odd(`"theme":   "dark", "hooks": {"Stop": [` + mine + `]}`)},
		mine:   true,
		argv:   func(url, aside, prompt string) []string { return []string{"-p", prompt, "--allow-all-tools"} },
		env: func(url, aside string) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PKG_CACHE_HOME=" + scratch.PackageTempPath("copilot"), // it unpacks itself there
				"COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_MODEL=stand-in"}
		},
		shell: func(c string) Block {
			return Block{Tool: "bash", Input: map[string]any{"command": c, "description": "Have a look"}}
		},
	},
	{
		name: "qwen", title: "Qwen Code", version: "0.24.4", program: "cli-entry.js", script: true,
		from: map[string]source{"": {"@qwen-code/qwen-code@0.24.4", "sha512-pmexy/Nj+BKd3Un1ogqGQE8V4GJn5B6N9PQOrU1GH+lMR29kn6Bgf6YdbZa8hNIoTmAKT1LTPK+P8TibZRPPVg=="}},
		argv: func(url, aside, prompt string) []string {
			return []string{"--auth-type", "openai", "--yolo", "-p", prompt}
		},
		env: func(url, aside string) []string {
			return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + key, "OPENAI_MODEL=stand-in", "QWEN_CODE_NO_RELAUNCH=1",
				"QWEN_CODE_SYSTEM_DEFAULTS_PATH=" + aside + "/qwen.json"}
		},
		shell: func(c string) Block {
			return Block{Tool: "run_shell_command", Input: map[string]any{"command": c, "description": "Have a look", "is_background": false}}
		},
	},
	{
		name: "droid", title: "Droid", version: "0.225.2", program: "bin/droid",
		from: map[string]source{ // no other platform has this version
			"linux-x64": {"@factory/cli-linux-x64@0.225.2", "sha512-1ctPmJwAqs0s/QNiaFp6vxr90AQa7j3VgFzLns9OaTffzOCd4csExNpL4w99tNlBLmQbbYqp0rUHlAhoD8R31A=="},
		},
		theirs: map[string]string{".factory/settings.json": odd(`"diffMode":   "github", "hooks": {"Stop": [` + mine + `]}`)},
		mine:   true,
		argv: func(url, aside, prompt string) []string {
			return []string{"exec", "--settings", aside + "/droid.json", "-m", "custom:stand-in-0", "--auto", "high", prompt}
		},
		env: func(url, aside string) []string { return []string{"FACTORY_API_KEY=fk-" + key} },
		shell: func(c string) Block {
			return Block{Tool: "Execute", Input: map[string]any{"command": c, "summary": "Have a look", "riskLevel": "low", "riskLevelReason": "It reads"}}
		},
	},
	{
		name: "gemini", title: "Gemini CLI", version: "0.61.0", program: "bundle/gemini.js", script: true,
		from:   map[string]source{"": {"@google/gemini-cli@0.61.0", "sha512-dbQ9A0qBtFJNi6XBkHvfZ6Azpn6PNgH/P8h2MZ67RLlX8hSAVjup39CRWqdRxZv7YXIuhrFaytr8y0jKnkoxnQ=="}},
		home:   map[string]string{".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}}` + "\n"},
		theirs: map[string]string{".gemini/settings.json": odd(`"security": {"auth":   {"selectedType": "gemini-api-key"}}`)},
		argv: func(url, aside, prompt string) []string {
			return []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", prompt}
		},
		env: func(url, aside string) []string {
			return []string{"GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_API_KEY=" + key, "GEMINI_CLI_NO_RELAUNCH=true"}
		},
		shell: func(c string) Block {
			return Block{Tool: "run_shell_command", Input: map[string]any{"command": c, "description": "Have a look", "is_background": false}}
		},
	},
}

const (
	codexLinuxX64   = "sha512-o05NyAOCDygSPRo1yinzxvkRSdmsZyBD9E7mbpmjRanSfM8lypqWtQgEo4XfNkwhuCR2aFu8mlGOsQGFXVbVww=="
	codexLinuxArm64 = "sha512-NZ/DaQUpcQmxmqee7Z9uC1rzw3GhSbooawcaTe1LN5Yk+WlinUKGdTXJgClRT/9ogQEEM9TWxYzvxPfj5G/xFg=="
)

const mine = `{"hooks": [{"type":"command",   "command": "echo mine >>~/mine", "timeout": 5}]}`

// odd is a settings file with this member, with everything that a careless editor would tidy up.
func odd(member string) string {
	return "{\r\n\t" + member + ",\r\n    \"x-mine\": {\"scale\": 1.0,\"who\": \"Ren\\u00e9\"}\r\n}"
}

// asides are the files that tell a host, outside of its home, where the model is and what to leave alone.
func asides(url string) map[string]string {
	return map[string]string{
		"qwen.json": `{"memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false}}`, // else it asks the model on its own
		"droid.json": `{"customModels": [{"model": "stand-in", "displayName": "stand-in", "provider": "generic-chat-completion-api", "baseUrl": "` + url + `/v1", "apiKey": "` +
			key + `"}]}`,
	}
}

func hostNamed(name string) *host {
	for _, h := range hosts {
		if h.name == name {
			return h
		}
	}
	panic("no host " + name)
}

// fetched is where each host's program is, fetched once per run.
var fetched = func() map[*host]func() (string, error) {
	all := map[*host]func() (string, error){}
	for _, h := range hosts {
		all[h] = sync.OnceValues(func() (string, error) {
			cache, err := clientCache()
			if err != nil {
				return "", err
			}
			path, err := fetchHost(filepath.Join(cache, "hosts"), h, platform())
			if err != nil {
				return "", fmt.Errorf("%s %s: %w", h.title, h.version, err)
			}
			return path, nil
		})
	}
	return all
}()

func (h *host) installed() (string, error) {
	if fetched, ok := fetched[h]; ok {
		return fetched()
	}
	return clientPaths[h.version], nil // Claude Code, which is there before any test runs
}

// fetchHosts begins to fetch, where all tests are run, and does not wait.
func fetchHosts() {
	if only := flag.Lookup("test.run"); only != nil && only.Value.String() != "" {
		return // the tests that need a host fetch it
	}
	go func() {
		for _, h := range hosts {
			_, _ = fetched[h]() // the tests of this host say what went wrong
		}
	}()
}

// Every program that the tests start is there. `make fetch` runs this alone, beside other work.
func TestProgramsAreThere(t *testing.T) {
	t.Parallel()
	for _, version := range versions {
		if !filepath.IsAbs(clientPaths[version]) {
			t.Errorf("Claude Code %s is at %q", version, clientPaths[version])
		}
	}
	for _, h := range hosts {
		if path, err := h.installed(); err != nil || !filepath.IsAbs(path) {
			t.Errorf("%s is at %q, %v", h.title, path, err)
		}
	}
}

// fetchHost returns the path of the program, from the cache if what lies there is what was put there.
func fetchHost(cache string, h *host, platform string) (string, error) {
	from, ok := h.from[""]
	if !ok {
		if from, ok = h.from[platform]; !ok {
			return "", fmt.Errorf("no package is pinned for %s", platform)
		}
	}
	home := filepath.Join(cache, h.name+"-"+h.version+"-"+platform)
	tree, record := filepath.Join(home, "package"), filepath.Join(home, "sum")
	if recorded, err := os.ReadFile(record); err == nil {
		if sum, err := sumOfTree(tree); err == nil && string(recorded) == recordOf(from.integrity, sum) {
			return h.in(tree)
		}
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(home, "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(scratch)
	tarball, err := pack(from.spec, scratch)
	if err != nil {
		return "", err
	}
	if err := verify(tarball, from.integrity); err != nil {
		return "", err
	}
	fresh := filepath.Join(scratch, "package")
	if err := unpack(tarball, fresh); err != nil {
		return "", err
	}
	sum, err := sumOfTree(fresh)
	if err != nil {
		return "", err
	}
	if _, err := h.in(fresh); err != nil {
		return "", err
	}
	if err := errors.Join(os.RemoveAll(tree), os.Rename(fresh, tree)); err != nil {
		return "", err
	}
	if err := os.WriteFile(record, []byte(recordOf(from.integrity, sum)), 0o644); err != nil {
		return "", err
	}
	return h.in(tree)
}

func (h *host) in(tree string) (string, error) {
	found, err := filepath.Glob(filepath.Join(tree, filepath.FromSlash(h.program)))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("the package of %s has %d times %s, not once", h.title, len(found), h.program)
	}
	return found[0], os.Chmod(found[0], 0o755)
}

func unpack(tarball, dir string) error {
	file, err := os.Open(tarball)
	if err != nil {
		return err
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for archive := tar.NewReader(plain); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(header.Name, "./"), "/") // without "package/"
		if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
			return err
		}
		out, err := root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|os.FileMode(header.Mode)&0o111)
		if err != nil {
			return err
		}
		_, err = io.Copy(out, archive)
		if err = errors.Join(err, out.Close()); err != nil {
			return err
		}
	}
}

func sumOfTree(dir string) (string, error) {
	all := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		sum, err := sumOf(filepath.Join(dir, filepath.FromSlash(path)))
		fmt.Fprintf(all, "%s  %s\n", sum, path)
		return err
	})
	return hex.EncodeToString(all.Sum(nil)), err
}

// hosted is a world with these hosts on the PATH, and without Claude Code.
func hosted(t *testing.T, used ...*host) *World {
	t.Helper()
	w := newWorld(t, newest)
	w.NoClient, w.Tools = true, true
	for _, h := range used {
		program, err := h.installed()
		must(t, err)
		w.link(program, h.name)
		if h.script && !w.has("node") {
			node, err := exec.LookPath("node")
			must(t, err, h.title, "needs node")
			w.link(node, "node")
		}
		for name, text := range h.home {
			write(t, filepath.Join(w.Home, filepath.FromSlash(name)), text)
		}
	}
	return w
}

func (w *World) has(name string) bool {
	_, err := os.Lstat(filepath.Join(w.bin(), name))
	return err == nil
}

func (w *World) hostEnv(h *host, url, aside string) []string {
	env := w.env([]string{w.bin(), "/usr/bin", "/bin"}, "LANG=C.UTF-8")
	return append(append(env, h.env(url, aside)...), w.With...)
}

type Ended struct {
	Text  string // all that it printed for the user
	Asked []Request
	Talk  string // on stderr
	Code  int
}

// RunIn holds one session of a host in the project directory. It is called from more than one goroutine, and so it
// gives an error instead of ending the test.
func (w *World) RunIn(h *host, s Session) (Ended, error) {
	model := newStandIn(w.t, s.Script, s.Side)
	if s.Prompt == "" {
		s.Prompt = "execute the plan"
	}
	aside, err := os.MkdirTemp(w.dir, "beside the home ")
	if err != nil {
		return Ended{}, err
	}
	for name, text := range asides(model.URL) {
		if err := os.WriteFile(filepath.Join(aside, name), []byte(text), 0o644); err != nil {
			return Ended{}, err
		}
	}
	env := w.hostEnv(h, model.URL, aside)
	if err := scratchOnly(env, realHomes()); err != nil {
		return Ended{}, fmt.Errorf("refused to run %s: %w", h.title, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(w.bin(), h.name), slices.Concat(h.argv(model.URL, aside, s.Prompt), h.trusts, s.Args)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.Project, env, 5*time.Second
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		return Ended{}, fmt.Errorf("%s: %w, %w\n%s%s", h.title, err, ctx.Err(), &stdout, &stderr)
	}
	ended := Ended{Text: strings.TrimSpace(stdout.String()), Talk: stderr.String(), Code: cmd.ProcessState.ExitCode()}
	for _, request := range model.Requests() {
		if request.Main {
			ended.Asked = append(ended.Asked, request)
		}
	}
	return ended, nil
}

func (w *World) In(h *host, s Session, text string, requests int) Ended {
	w.t.Helper()
	ended, err := w.RunIn(h, s)
	must(w.t, err)
	scratch.Equal(w.t, ended.as(text, requests), nil, h.title)
	return ended
}

func (e Ended) as(text string, requests int) error {
	if e.Code == 0 && strings.HasSuffix(e.Text, text) && len(e.Asked) == requests {
		return nil
	}
	return fmt.Errorf("the session ended with exit %d after %d requests with %q, want %d requests and %q\n%s", e.Code, len(e.Asked), e.Text, requests, text, e.Talk)
}

// With -newest each program is the newest version that the registry has, and its checksum is the one that the registry
// states: a throw-away machine asks in this way whether a new version breaks something. Nothing else does.
var takeNewest = flag.Bool("newest", false, "the newest version of each program instead of the pinned one")

// pinNewest puts these versions in the place of the pinned ones.
func pinNewest() error {
	const claude = "@anthropic-ai/claude-code"
	version, integrity, err := newestOf(claude, claude+"-"+platform(), "")
	if err != nil {
		return err
	}
	newest, versions = version, []string{version, oldest}
	pinned[newest] = map[string]string{platform(): integrity}
	fmt.Printf("newest: Claude Code %s\n", version)
	for _, h := range hosts {
		at := platform()
		from, ok := h.from[""]
		if ok {
			at = ""
		} else if from, ok = h.from[at]; !ok {
			continue // its tests say that it has nothing for this platform
		}
		pkg, suffix, ok := strings.Cut(from.spec, "@"+h.version)
		if !ok {
			return fmt.Errorf("%s does not name the version %s", from.spec, h.version)
		}
		if version, integrity, err = newestOf(pkg, pkg, suffix); err != nil {
			return err
		}
		h.version, h.from = version, map[string]source{at: {pkg + "@" + version + suffix, integrity}}
		fmt.Printf("newest: %s %s\n", h.title, version)
	}
	return nil
}

// newestOf asks npm for the newest version of a package, and for the checksum of that version of another one, whose
// versions may end in a suffix.
func newestOf(pkg, program, suffix string) (version, integrity string, err error) {
	if version, err = npm(os.TempDir(), "view", pkg, "version"); err != nil {
		return "", "", err
	}
	spec := program + "@" + version + suffix
	if integrity, err = npm(os.TempDir(), "view", spec, "dist.integrity"); err == nil && !strings.HasPrefix(integrity, "sha512-") {
		err = fmt.Errorf("npm says of %s that its checksum is %q", spec, integrity)
	}
	return version, integrity, err
}
