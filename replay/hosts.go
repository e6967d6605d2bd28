// Hosts compared: how much was read of each, and how each strategy did there.

package replay

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cameronsjo/springfield/internal/layout"
	"github.com/cameronsjo/springfield/runtime/registry"
)

func (r *Row) hostName() string { return cmp.Or(r.Host, registry.DefaultHost().Name) }

func (r *Report) countHosts() {
	sessions := map[[2]string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		n := slices.IndexFunc(r.Hosts, func(h HostCount) bool { return h.Name == row.hostName() })
		if n < 0 {
			n = len(r.Hosts)
			r.Hosts = append(r.Hosts, HostCount{Name: row.hostName()})
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
	if len(r.Hosts) == 1 && r.Hosts[0].Name == registry.DefaultHost().Name {
		r.Hosts = nil
	}
}

// hostsOf are the names of the hosts that rows are of: of Claude Code if nothing says more.
func (r *Report) hostsOf() (names []string) {
	for _, h := range r.Hosts {
		names = append(names, h.Name)
	}
	if names == nil {
		names = []string{registry.DefaultHost().Name}
	}
	return names
}

// titleOf is what a host is called in sentences.
func titleOf(name string) string {
	if h, ok := registry.HostNamed(name); ok {
		return h.Title
	}
	return name
}

// hosts compares hosts: a line for each, under each strategy that decides.
func (t text) hosts() {
	rows := [][]string{{"", "sessions", "stops", "mid-work"}}
	for _, h := range t.Hosts {
		row := []string{titleOf(h.Name)}
		for _, n := range []int{h.Sessions, h.Stops, h.MidWork} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	t.InBold().PrintText("\nby host")
	t.PrintTable("  ", rows)
	if len(t.Hosts) == 1 {
		return
	}
	for _, s := range t.Scores {
		if s.OnlyAsks {
			continue
		}
		rows = [][]string{{layout.ClipText(s.Name, 24), "caught", "wrongly continued"}}
		for _, h := range s.Hosts {
			rows = append(rows, []string{"  " + titleOf(h.Name), h.Caught.text(), h.Wrong.text()})
		}
		t.PrintText("")
		t.PrintTable("  ", rows)
	}
}
