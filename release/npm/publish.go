package main

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// publication publishes the archives that npm pack has made. It can be repeated: what the registry has is left out.
type publication struct {
	dir        string
	provenance bool
	npm        func(args ...string) (stdout []byte, err error)
	out        io.Writer
}

// packed is the archive of a package.
type packed struct {
	name, version, file, integrity string
}

func (p publication) run() error {
	var missing []packed
	// Everything is looked at before anything is published: a published version stays for ever.
	for _, name := range names() {
		one, err := p.read(name)
		if err != nil {
			return err
		}
		there, err := p.published(one)
		switch {
		case err != nil:
			return err
		case there == "":
			missing = append(missing, one)
		case there != one.integrity:
			return fmt.Errorf("%s@%s is in the registry with another content: it has the checksum %s, and %s has %s", name, one.version, there, one.file, one.integrity)
		default:
			fmt.Fprintf(p.out, "%s@%s is there already\n", name, one.version)
		}
	}
	for _, one := range missing {
		args := []string{"publish", one.file, "--access", "public", fmt.Sprintf("--provenance=%t", p.provenance)}
		if strings.Contains(one.version, "-") {
			args = append(args, "--tag", "next") // npm install without a version gives finished ones
		}
		if _, err := p.npm(args...); err != nil {
			return fmt.Errorf("publish %s@%s: %w", one.name, one.version, err)
		}
		fmt.Fprintf(p.out, "%s@%s is published\n", one.name, one.version)
	}
	return nil
}

// read finds the archive of a package and takes its checksum in npm's form.
func (p publication) read(name string) (packed, error) {
	var m manifest
	text, err := os.ReadFile(filepath.Join(p.dir, folder(name), "package.json"))
	if err != nil {
		return packed{}, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return packed{}, fmt.Errorf("%s: %w", name, err)
	}
	file, err := filepath.Abs(filepath.Join(p.dir, archive(name, m.Version)))
	if err != nil {
		return packed{}, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return packed{}, err
	}
	sum := sha512.Sum512(data)
	return packed{name, m.Version, file, "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}, nil
}

// published is the checksum of a version in the registry, "" if the registry does not have that version.
func (p publication) published(one packed) (string, error) {
	out, err := p.npm("view", one.name+"@"+one.version, "dist.integrity", "--json")
	if err != nil {
		var answer struct{ Error struct{ Code string } }
		if json.Unmarshal(out, &answer) == nil && answer.Error.Code == "E404" {
			return "", nil
		}
		return "", fmt.Errorf("ask the registry for %s@%s: %w", one.name, one.version, err)
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return "", nil // so says npm where the package is there and the version is not
	}
	var integrity string
	if err := json.Unmarshal(out, &integrity); err != nil {
		return "", fmt.Errorf("npm view %s@%s: %w", one.name, one.version, err)
	}
	return integrity, nil
}

// startNPM runs npm with the user's configuration, which says where the registry is and who publishes.
func startNPM(args ...string) ([]byte, error) {
	out, err := exec.Command("npm", args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("npm %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}
