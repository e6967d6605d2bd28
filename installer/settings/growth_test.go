package settings

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/cameronsjo/springfield/installer/client"
	"github.com/cameronsjo/springfield/internal/scratch"
)

// bigSettings are settings of about a size that are mostly of one kind.
func bigSettings(size int, head, each, tail string) string {
	var b strings.Builder
	b.WriteString("{\n  \"enabledPlugins\": {\n    \"double-shot-latte@superpowers-marketplace\": true" + head)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, each, i)
	}
	return b.String() + tail + "}\n"
}

// The work of an edit grows with the file and no faster: eight times the file is
// about eight times the memory that is asked for, counted over planning, writing and
// taking back. What would look through the whole for every member of it would ask
// for sixty-four times as much.
func TestWorkGrowsWithTheFile(t *testing.T) {
	for _, test := range []struct{ name, head, each, tail string }{
		{"plugins", "", ",\n    \"plugin-%07d@market\": true", "\n  }\n"},
		{"members", "\n  }", ",\n  \"member-%07d\": {\"a\": [1, 2.5, \"x\"]}", "\n"},
		{"one line", "}", ",\"member-%07d\":{\"a\":[1,2.5,\"x\"]}", ""},
		{"permissions", "\n  },\n  \"permissions\": {\"allow\": [\"x\"", ", \"Bash(command-%07d)\"", "]}\n"},
		{"marketplaces", "\n  },\n  \"extraKnownMarketplaces\": {\"x\": {}", ", \"m-%07d\": {\"source\": {\"source\": \"github\", \"repo\": \"o/r\"}}", "}\n"},
		{"variables", "\n  },\n  \"env\": {\"x\": \"\"", ", \"X%07d\": \"\\u00e9\"", "}\n"},
		{"a text", "\n  },\n  \"x\": \"", "abcdefgh%07d", "\"\n"},
	} {
		if scratch.Skipped(2) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			work := func(size int) (bytes, objects float64) {
				p := newPlaces(t)
				put(t, settingsOf(t, p, client.User), bigSettings(size, test.head, test.each, test.tail))
				put(t, settingsOf(t, p, client.Project), bigSettings(size, test.head, test.each, test.tail))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				enable(t, p, pluginOf(p, "ned-flanders"), client.Project, true)
				disable(t, p, pluginOf(p, "ned-flanders"), client.Project)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc - before.TotalAlloc), float64(after.Mallocs - before.Mallocs)
			}
			const small, times = 64 << 10, 8
			bytes, objects := work(small)
			moreBytes, moreObjects := work(times * small)
			t.Logf("%.1f times the bytes, %.1f times the objects", moreBytes/bytes, moreObjects/objects)
			if moreBytes > 1.5*times*bytes || moreObjects > 1.5*times*objects {
				t.Errorf("%d times the file takes %.1f times the bytes and %.1f times the objects", times, moreBytes/bytes, moreObjects/objects)
			}
		})
	}
}
