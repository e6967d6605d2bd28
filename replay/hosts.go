// Hosts compared: how much was read of each, and how each strategy did there.

package replay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/registry"
)

// hostOf is the name of the host that a row is of.
func (r *Row) hostOf() string { return cmp.Or(r.Host, registry.ClaudeCode().Name) }

// countHosts counts the rows by their hosts.
func (r *Report) countHosts() {
	sessions := map[[2]string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		n := slices.IndexFunc(r.Hosts, func(h HostCount) bool { return h.Name == row.hostOf() })
		if n < 0 {
			n = len(r.Hosts)
			r.Hosts = append(r.Hosts, HostCount{Name: row.hostOf()})
		}
		h := &r.Hosts[n]
		if at := [2]string{h.Name, row.Session}; !sessions[at] {
			sessions[at] = true
			h.Sessions++
		}
		if row.Label == MidWork {
			h.MidWork++
		} else {
			h.Stops++
		}
	}
	slices.SortStableFunc(r.Hosts, func(a, b HostCount) int {
		return cmp.Or(b.Stops+b.MidWork-a.Stops-a.MidWork, strings.Compare(a.Name, b.Name))
	})
	if len(r.Hosts) == 1 && r.Hosts[0].Name == registry.ClaudeCode().Name {
		r.Hosts = nil
	}
}

// byHost is how the i-th strategy did on each host.
func (r *Report) byHost(i int) []Part {
	if len(r.Hosts) == 0 {
		return nil
	}
	all := newParts(r.hostsOf())
	for n := range r.Rows {
		if row := &r.Rows[n]; i < len(row.Choices) {
			c := &row.Choices[i]
			all.add(row.hostOf(), row, c, c.Decision == "continue")
		}
	}
	return all.done()
}

// hostsOf are the names of the hosts that rows are of: of Claude Code if nothing says more.
func (r *Report) hostsOf() (names []string) {
	for _, h := range r.Hosts {
		names = append(names, h.Name)
	}
	if names == nil {
		names = []string{registry.ClaudeCode().Name}
	}
	return names
}

// Title is what a host is called in sentences.
func (h HostCount) Title() string { return titleOf(h.Name) }

func titleOf(name string) string {
	if h, ok := registry.HostNamed(name); ok {
		return h.Title
	}
	return name
}

// hosts compares hosts: a line for each, under each strategy that decides.
func (t text) hosts() {
	if len(t.Hosts) == 0 {
		return
	}
	wide := 0
	for _, h := range t.Hosts {
		wide = max(wide, layout.Width(h.Title()))
	}
	t.Strong().Say("\nby host")
	t.Say("  %s  %8s  %5s  %8s", layout.Pad("", wide), "sessions", "stops", "mid-work")
	for _, h := range t.Hosts {
		t.Say("  %s  %8d  %5d  %8d", layout.Pad(h.Title(), wide), h.Sessions, h.Stops, h.MidWork)
	}
	if len(t.Hosts) == 1 {
		return
	}
	columns := t.Width >= wide+41
	if columns {
		t.Say("\n    %s  %-16s  %s", layout.Pad("", wide), "caught", "wrongly continued")
	}
	for _, s := range t.Scores {
		if s.OnlyAsks {
			continue
		}
		t.Strong().Say("  %s", layout.Clip(s.Name, t.Width-4))
		for _, h := range s.Hosts {
			if title := titleOf(h.Name); columns {
				t.Say("    %s  %-16s  %s", layout.Pad(title, wide), h.Caught.interval(), h.Wrong.interval())
			} else {
				t.Fold("    ", "%s: caught %s, wrongly continued %s", title, h.Caught.interval(), h.Wrong.interval())
			}
		}
	}
}
