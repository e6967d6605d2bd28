package closing

import (
	"strings"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	short := "The schema migration is in place and applies cleanly on an empty database. Next I'm moving on to the repository layer so the new columns actually get read."
	long := strings.Repeat("## Part\n\nThe schema migration is in place and applies cleanly. It took a while, since `x` was in the way.\n\n- one thing\n- another\n\n", 150) + "All of it is there."
	for name, text := range map[string]string{"short": short, "long": long} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c := Read(text)
				for _, act := range Acts() {
					c.Find(act, Final)
					c.Find(act, Near)
				}
			}
		})
	}
}
