package client

import (
	"bytes"
	"path"
)

// Mod is a plugin's JavaScript that Claude Code runs in its own process.
type Mod struct {
	File  string   `json:"file"`  // in the plugin
	Wraps []string `json:"wraps"` // events of a stop or a prompt that the file names
}

func (s *Snapshot) modsIn(i *Installed, name string, fields object) {
	for _, module := range as[[]string](fields["modules"]) {
		m := Mod{File: printable(path.Join(path.Dir(name), module)), Wraps: []string{}}
		at, err := placeBelow(i.Dir, path.Join(path.Dir(name), module))
		if file, unread := s.OpenFile(at); err == nil && unread == nil {
			for _, event := range []string{"classic.Stop", "turn.complete", "prompt.submit"} {
				if bytes.Contains(file.Before.Bytes(), []byte(event)) {
					m.Wraps = append(m.Wraps, event)
				}
			}
		}
		i.Mods = append(i.Mods, m)
	}
}
