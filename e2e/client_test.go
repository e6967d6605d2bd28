//go:build e2e

// Package e2e drives the real Claude Code client against a Messages API stand-in on loopback:
//
//	go test -tags e2e ./e2e/
//
// npm fetches each client once per machine, into <user cache>/springfield/clients or the directory in
// SPRINGFIELD_CLIENTS. Its sha512 is pinned below and checked before every run. A missing client fails the run.
package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"debug/elf"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const oldest = "2.1.197" // the oldest client we promise to work with

// newest is the newest client that was tried, and with -newest the newest that there is.
var newest = "2.1.329"

var versions = []string{newest, oldest}

// pinned holds `npm view @anthropic-ai/claude-code-<platform>@<version> dist.integrity`.
var pinned = map[string]map[string]string{
	newest: {
		"linux-x64":        "sha512-+n4lu1ubYAp02Y0X/MAUnxw9yY6SHHZ77F+IoW+V0wVoFuiI9opdH6gofjf14gXJCEYMTNpks7Gn1i8XZTKAWA==",
		"linux-x64-musl":   "sha512-EouW7B/aG3GOQBmzN9MxHV9uTOE2r6E+VIlFBrBgIEBuBBF4qH1GTvg5/CVf53gGp4DgVf1CYdBHjS+2NeDP4A==",
		"linux-arm64":      "sha512-IiG5umFToSCVWqB1lEsxxwIxKgxPXyZ3DRU915v8J4Bz5Q3JpslM0ew1m5yaT+lFXBPvYxmsEgi0XI68XHND0A==",
		"linux-arm64-musl": "sha512-uVWrRp60cqvikJ13Rtmlkd8WuJtJEWAuGJzenJ0or0I7by05kRWopFdDdpWYQi8dRIJ6+W9T9w+PA4B+EjfCXQ==",
		"darwin-x64":       "sha512-6cjJiD19yxOzdnzErJ8ougFKoksK/wUvOJb6V2iCXg1rM9gGEY1I7HE8jQnvh6buAuXHtHaahfoiiISaplOxYg==",
		"darwin-arm64":     "sha512-brgS94FOoB+ekq1gIeNpBtGAbzWxE1UEeBQWfk1KX1BStrMIxwWXriPfQLKEkFTWHpmGXv2fZxxMQJsR+5PhZw==",
	},
	oldest: {
		"linux-x64":        "sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
		"linux-x64-musl":   "sha512-/Ij3+inZf96Lb1BLnO0rWArRi1HqIMh6HeGrQoykrp7a8Yj0SA1EQIO42kpNeVxM9z3o3xUaiIf0FRMzLIp6oQ==",
		"linux-arm64":      "sha512-sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
		"linux-arm64-musl": "sha512-r3taVK9rDaMahHkrCGV8wF1Sjphs7fqXy2ZEznyDGxUqeW6HxgkbG7dPplXnwwGiMTdYLrtQTQMN21ZTxcVHBA==",
		"darwin-x64":       "sha512-DOPeGTQqJWVENJsxwMxJtLOx+7OBINEDg9trQldlJR1nBssaYzNj1WWxp37JYSBRjeYLhqLipvDqEA0LMglL7A==",
		"darwin-arm64":     "sha512-1FOVhJzkKGWgOEEsvaK3ylCEmjKeJiXwfKl7RtNEbiDj7OxhRQ1G1CLN0HGDTTq1QwY+Dm2x1Yscdv5NfobAxQ==",
	},
}

// clientPaths says where each version's binary lies. TestMain fills it before any test runs.
var clientPaths = map[string]string{}

func fetchClients() error {
	cache, err := clientCache()
	if err != nil {
		return err
	}
	for _, version := range versions {
		client := host{name: "claude", title: "Claude Code", version: version, program: "claude", from: map[string]source{}}
		for platform, integrity := range pinned[version] {
			client.from[platform] = source{"@anthropic-ai/claude-code-" + platform + "@" + version, integrity}
		}
		path, err := fetchHost(cache, &client, platform())
		if err != nil {
			return fmt.Errorf("client %s: %w", version, err)
		}
		clientPaths[version] = path
	}
	return nil
}

func clientCache() (string, error) {
	if dir := os.Getenv("SPRINGFIELD_CLIENTS"); dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory for the clients, name one in SPRINGFIELD_CLIENTS: %w", err)
	}
	return filepath.Join(cache, "springfield", "clients"), nil
}

func platform() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	if runtime.GOOS == "linux" && musl() {
		arch += "-musl"
	}
	return runtime.GOOS + "-" + arch
}

// musl reads the loader of the shell's binary: a Debian with musl-tools has musl's loader too.
func musl() bool {
	shell, err := elf.Open("/bin/sh")
	if err != nil {
		return false
	}
	defer shell.Close()
	for _, segment := range shell.Progs {
		if segment.Type == elf.PT_INTERP {
			loader, _ := io.ReadAll(segment.Open())
			return bytes.Contains(loader, []byte("ld-musl"))
		}
	}
	return false
}

func recordOf(integrity, sum string) string { return integrity + " " + sum + "\n" }

// pack fetches a package's tarball with npm, in the real HOME with its configuration.
func pack(pkg, dir string) (string, error) {
	if _, err := npm(dir, "pack", pkg, "--pack-destination", dir, "--json"); err != nil {
		return "", err
	}
	// Not the name in npm's JSON: versions of npm disagree on how they spell a scoped one.
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return "", fmt.Errorf("npm fetched %s and left %d tarballs, not one", pkg, len(tarballs))
	}
	return tarballs[0], nil
}

// npm starts npm in dir, which is not our tree, where a .npmrc could have a say, and returns what it prints.
func npm(dir, verb, pkg string, args ...string) (string, error) {
	program, err := exec.LookPath("npm")
	if err != nil {
		return "", errors.New("npm is needed to fetch the client once, and it is not on PATH")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{verb, pkg}, args...)...)
	cmd.Dir = dir
	var out, talk bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &talk
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("npm could not fetch %s (%w):\n%s", pkg, err, talk.Bytes())
	}
	return strings.TrimSpace(out.String()), nil
}

func verify(path, integrity string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	hash := sha512.New()
	if _, err := io.Copy(hash, file); err != nil {
		return err
	}
	got := "sha512-" + base64.StdEncoding.EncodeToString(hash.Sum(nil))
	if got != integrity {
		return fmt.Errorf("%s is not the package we pinned: its integrity is %s, not %s", filepath.Base(path), got, integrity)
	}
	return nil
}

func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
