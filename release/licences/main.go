// Command licences writes the licence texts of everything that is compiled into springfield: of Go, and of each
// module that the CLI needs on any of the given machines. A release has to carry these texts.
//
//	go run ./release/licences FILE OS/ARCH...
//
// It fails, and writes nothing, if a module has no licence or one that springfield cannot be distributed under.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: licences FILE OS/ARCH...")
		os.Exit(2)
	}
	if err := run(".", os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

// run writes the licences of the CLI of the module in a directory.
func run(dir, file string, targets []string) error {
	modules, err := modulesOf(dir, "./cmd/springfield", targets)
	if err != nil {
		return err
	}
	text, err := document(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
