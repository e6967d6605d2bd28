package main

// Man pages are made here and not by a verb, so that what makes them is no part
// of the command. make man calls this test with -man DIR.

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

var man = flag.String("man", "", "write the man pages into this directory")

// manPages are the pages of a verb and those below it, by file name. They bear
// no date: the same sources give the same pages.
func manPages(cmd *cobra.Command) (map[string][]byte, error) {
	cmd.InitDefaultHelpFlag()
	cmd.DisableAutoGenTag = true
	cmd.Long = strings.ReplaceAll(cmd.Long, "\n  ", "\n    ") // what is set off stays as it is, line by line
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	var b bytes.Buffer
	err := doc.GenMan(cmd, &doc.GenManHeader{
		Title: strings.ToUpper(name), Section: "1", Date: &time.Time{}, Source: "springfield", Manual: "springfield",
	}, &b)
	pages := map[string][]byte{name + ".1": bytes.Replace(b.Bytes(), []byte(`"Jan 0001"`), []byte(`""`), 1)}
	for _, child := range cmd.Commands() {
		if err != nil || child.Hidden || child.Name() == "help" {
			continue
		}
		var below map[string][]byte
		below, err = manPages(child)
		for file, page := range below {
			pages[file] = page
		}
	}
	return pages, err
}

func TestManPages(t *testing.T) {
	pages, err := manPages(newRoot(&app{}))
	must(t, err)
	for _, cmd := range newRoot(&app{}).Commands() {
		page := pages["springfield-"+cmd.Name()+".1"]
		if !cmd.Hidden && (!bytes.Contains(page, []byte(`.TH "SPRINGFIELD`)) || bytes.Contains(page, []byte("0001"))) {
			t.Errorf("the page of %s has no title, or a date:\n%s", cmd.Name(), page)
		}
	}
	release, err := os.ReadFile(filepath.Join("..", "..", ".goreleaser.yaml"))
	must(t, err)
	for _, line := range regexp.MustCompile(`(?m)^ +- man/(.*)$`).FindAllSubmatch(release, -1) {
		if _, ok := pages[string(line[1])]; !ok {
			t.Errorf("a release has the page %s, and no command has", line[1])
		}
	}
	if *man == "" {
		return
	}
	must(t, os.MkdirAll(*man, 0o755))
	for file, page := range pages {
		must(t, os.WriteFile(filepath.Join(*man, file), page, 0o644))
	}
}
