// Command npm makes the npm packages of a release from the programs in dist/, and publishes them.
//
//	go run ./release/npm -to DIR
//	go run ./release/npm -publish -to DIR
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "npm packages:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("npm", flag.ContinueOnError)
	dist := flags.String("dist", "dist", "the files of the release")
	version := flags.String("version", "", "version of the packages, if not that of the release")
	notices := flags.String("licences", "THIRD_PARTY_LICENSES", "the file with the licences of dependencies")
	to := flags.String("to", "", "directory of the packages")
	publish := flags.Bool("publish", false, "publish what npm pack has made of them")
	provenance := flags.Bool("provenance", true, "with -publish: have npm state which build made them, which works in the forge's CI alone")
	switch err := flags.Parse(args); {
	case err != nil:
		return err
	case flags.NArg() > 0:
		return fmt.Errorf("%q is not a flag", flags.Arg(0))
	case *to == "":
		return errors.New("name a directory: -to")
	case *publish:
		return publication{dir: *to, provenance: *provenance, npm: startNPM, out: out}.run()
	}
	if *version == "" {
		var err error
		if *version, err = releaseVersion(*dist); err != nil {
			return err
		}
	}
	plain, err := plainVersion(*version)
	if err != nil {
		return err
	}
	s := source{dist: *dist}
	if s.sums, err = readSums(*dist); err != nil {
		return err
	}
	if s.licence, err = os.ReadFile("LICENSE"); err != nil {
		return err
	}
	if s.notices, err = os.ReadFile(*notices); err != nil {
		return err
	}
	if err := s.makePackages(plain, *to); err != nil {
		return err
	}
	for _, name := range names() {
		fmt.Fprintln(out, filepath.Join(*to, folder(name)))
	}
	return nil
}
