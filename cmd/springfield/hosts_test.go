package main

import (
	"testing"

	"github.com/cameronsjo/springfield/installer/hosts"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// What the CLI and the hook know of a host, they know under the same names.
func TestHostsAreTheHooks(t *testing.T) {
	for _, h := range hosts.AllHosts() {
		known, ok := registry.HostNamed(h.Name)
		switch {
		case !ok:
			t.Errorf("the hook has no host %s", h.Name)
		case h.Title != known.Title || h.Agent != known.Agent || h.Program != known.Program || "~/"+h.Dir != known.Dir || !h.Above && h.Variable != known.DirVariable:
			t.Errorf("%s is %q, %q, %q, %q, %q to the CLI, and %q, %q, %q, %q, %q to the hook", h.Name,
				h.Title, h.Agent, h.Program, "~/"+h.Dir, h.Variable, known.Title, known.Agent, known.Program, known.Dir, known.DirVariable)
		}
	}
}
