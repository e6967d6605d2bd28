// Command wording lists what springfield says to people, sentence by sentence, with
// file and line: `make strings`. With -against TREE it counts what another checkout
// says differently.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	against := flag.String("against", "", "another checkout: count the sentences that only one of the two has")
	flag.Parse()
	if err := run(os.Stdout, ".", *against); err != nil {
		fmt.Fprintln(os.Stderr, "wording:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, tree, against string) error {
	all, err := Collect(tree)
	if err != nil {
		return err
	}
	if against != "" {
		before, err := Collect(against)
		if err != nil {
			return err
		}
		compare(w, before, all)
		return nil
	}
	out := bufio.NewWriter(w)
	file := ""
	for _, s := range all {
		if s.File != file {
			file = s.File
			fmt.Fprintf(out, "\n%s\n", file)
		}
		fmt.Fprintf(out, "%5d  %s\n", s.Line, s.Text)
	}
	fmt.Fprintln(out)
	total(out, all)
	return out.Flush()
}

// total counts sentences by where they come from.
func total(w io.Writer, all []Sentence) {
	count := map[string]int{}
	for _, s := range all {
		count[s.Kind]++
	}
	for _, kind := range kinds() {
		fmt.Fprintf(w, "%6d  %s\n", count[kind], kind)
	}
	fmt.Fprintf(w, "%6d  sentences and phrases\n", len(all))
}

// compare counts, kind by kind, how many sentences stayed, are new, and are gone.
func compare(w io.Writer, before, after []Sentence) {
	fmt.Fprintf(w, "%6s  %6s  %6s  %6s  %6s\n", "before", "now", "same", "new", "gone")
	for _, kind := range append(kinds(), "all") {
		old, now := byText(before, kind), byText(after, kind)
		same := 0
		for text := range now {
			if old[text] {
				same++
			}
		}
		fmt.Fprintf(w, "%6d  %6d  %6d  %6d  %6d  %s\n", len(old), len(now), same, len(now)-same, len(old)-same, kind)
	}
}

func byText(all []Sentence, kind string) map[string]bool {
	set := map[string]bool{}
	for _, s := range all {
		if kind == "all" || s.Kind == kind {
			set[s.Text] = true
		}
	}
	return set
}
