package settings

import (
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// Whatever is enabled in whichever scopes, and disabled in whichever order, the
// directories and files are the first ones again: .claude goes with the last file
// that it was made for.
func TestEveryOrderGivesTheFirstTreeBack(t *testing.T) {
	tree := func(t *testing.T, p client.Places) map[string]string {
		t.Helper()
		all := map[string]string{}
		for _, root := range []string{p.Root, p.Home} {
			err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				switch {
				case err != nil:
					return err
				case name == p.StatePath():
					return filepath.SkipDir
				case d.IsDir():
					all[name+"/"] = ""
					return nil
				}
				data, err := os.ReadFile(name)
				all[name] = string(data)
				return err
			})
			must(t, err)
		}
		return all
	}
	layouts := map[string]func(*client.Places){
		"project":        func(*client.Places) {},
		"below its root": func(p *client.Places) { p.Root = filepath.Dir(p.Work) },
		"home":           func(p *client.Places) { p.Work, p.Root = p.Home, p.Home },
	}
	starts := map[string]func(t *testing.T, p client.Places){
		"nothing":     func(*testing.T, client.Places) {},
		"a directory": func(t *testing.T, p client.Places) { mkdir(t, filepath.Join(p.Work, ".claude")) },
		"both settings": func(t *testing.T, p client.Places) {
			put(t, settingsOf(t, p, client.Local), "{\n}\n")
			put(t, settingsOf(t, p, client.Project), twoSpaces)
		},
	}
	count := 0
	for layout, lay := range layouts {
		for start, begin := range starts {
			if layout != "project" && start != "nothing" {
				continue
			}
			for steps := range interleavings(client.AllScopes()) {
				if scratch.Skipped(4) {
					continue
				}
				p := newPlaces(t)
				lay(&p)
				mkdir(t, p.Work)
				mkdir(t, p.Config) // which holds springfield's own state in any case
				begin(t, p)
				before := tree(t, p)
				on := map[client.Scope]bool{}
				for _, scope := range steps {
					if on[scope] {
						disable(t, p, pluginOf(p, "ned-flanders"), scope)
					} else {
						enable(t, p, pluginOf(p, "ned-flanders"), scope, false)
					}
					on[scope] = !on[scope]
				}
				if after := tree(t, p); !maps.Equal(before, after) {
					t.Fatalf("%s, %s: on and off by %v: %q, was %q", layout, start, steps, after, before)
				}
				if count++; count%5 > 0 {
					continue
				}
				w := world{order: order{Places: p}}
				if err := w.undoAll(); err != nil {
					t.Fatalf("%s, %s: on and off by %v: undo: %v", layout, start, steps, err)
				}
				if after := tree(t, p); !maps.Equal(before, after) {
					t.Fatalf("%s, %s: on and off by %v, undone: %q, was %q", layout, start, steps, after, before)
				}
			}
		}
	}
	if count < 50 || count > 5*90 {
		t.Errorf("%d orders", count)
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
}

// interleavings are all orders in which each of some things comes twice.
func interleavings(all []client.Scope) iter.Seq[[]client.Scope] {
	return func(yield func([]client.Scope) bool) {
		var from func(done []client.Scope) bool
		from = func(done []client.Scope) bool {
			if len(done) == 2*len(all) {
				return yield(done)
			}
			for _, s := range all {
				had := 0
				for _, d := range done {
					if d == s {
						had++
					}
				}
				if had < 2 && !from(append(slices.Clip(done), s)) {
					return false
				}
			}
			return true
		}
		from(nil)
	}
}
