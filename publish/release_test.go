package publish

import (
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct{ version, part, want string }{
		{"0.1.0", "patch", "0.1.1"}, {"0.1.9", "minor", "0.2.0"}, {"1.2.3", "major", "2.0.0"}, {"1.2.3-rc.1", "patch", "1.2.3"}, {"1.2.3+7", "minor", "1.3.0"},
		{"1.2", "patch", ""}, {"v1.2.3", "patch", ""}, {"1.2.3", "all", ""},
	} {
		if got, err := bump(test.version, test.part); got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("bump(%s, %s) = %s, %v", test.version, test.part, got, err)
		}
	}
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"0.1.0", "0.1.1", true}, {"0.9.0", "0.10.0", true}, {"1.0.0-rc.1", "1.0.0", true},
		{"0.1.0", "0.1.0", false}, {"0.2.0", "0.1.9", false}, {"1.0.0", "1.0.0-rc.1", false}, {"1.0.0", "1.0.0+2", false}, {"1.0.0", "2", false}, {"x", "1.0.0", false},
	} {
		if err := grows(test.from, test.to); (err == nil) != test.ok {
			t.Errorf("grows(%s, %s) = %v", test.from, test.to, err)
		}
	}
}

func TestAddRelease(t *testing.T) {
	const head = "# Releases of p\n\n"
	first := addRelease("", release{plugin: "p", new: "0.1.0"}, "2026-11-21", []string{"First release."})
	if first != head+"## 0.1.0 (2026-11-21)\n\n- First release.\n" {
		t.Errorf("the first: %q", first)
	}
	second := addRelease(first, release{plugin: "p", new: "0.2.0"}, "2026-11-22", []string{"a", "b"})
	if second != head+"## 0.2.0 (2026-11-22)\n\n- a\n- b\n\n"+strings.TrimPrefix(first, head) {
		t.Errorf("the second: %q", second)
	}
	if again := addRelease(second, release{plugin: "p", new: "0.1.0"}, "2027-01-01", []string{"x"}); again != second {
		t.Errorf("one that is there: %q", again)
	}
	if got := addRelease("Words of mine.\n", release{plugin: "p", new: "0.1.0"}, "d", []string{"x"}); got != "Words of mine.\n\n## 0.1.0 (d)\n\n- x\n" {
		t.Errorf("behind words: %q", got)
	}
	if got := addRelease("## 0.1.0\r\n- old\r\n", release{plugin: "p", new: "0.1.0"}, "d", []string{"x"}); got != "## 0.1.0\r\n- old\r\n" {
		t.Errorf("with CRLF: %q", got)
	}
	if got := addRelease("# P\r\n\r\n## 0.1.0\r\n- old\r\n", release{plugin: "p", new: "0.2.0"}, "d", []string{"x"}); got != "# P\r\n\r\n## 0.2.0 (d)\r\n\r\n- x\r\n\r\n## 0.1.0\r\n- old\r\n" {
		t.Errorf("into CRLF: %q", got)
	}
	if got := addRelease("Words of mine.\r\n", release{plugin: "p", new: "0.1.0"}, "d", []string{"x"}); got != "Words of mine.\r\n\r\n## 0.1.0 (d)\r\n\r\n- x\r\n" {
		t.Errorf("behind words, with CRLF: %q", got)
	}
	if got := addRelease("", release{plugin: "p", new: "0.1.0"}, "d", []string{"a\x1b[2Jb\u202ec\u009b"}); !strings.HasSuffix(got, "\n- a[2Jbc\n") {
		t.Errorf("orders to a terminal: %q", got)
	}
	for _, heading := range []string{"v0.1.0", "[0.1.0]", "[v0.1.0] - 2026-11-21", "[0.1.0](https://example.invalid)", "0.1.0: first"} {
		if had := "## " + heading + "\n- old\n"; addRelease(had, release{plugin: "p", new: "0.1.0"}, "d", []string{"x"}) != had {
			t.Errorf("%q was not seen", heading)
		}
	}
	for _, heading := range []string{"0.1.01", "0.1.0-rc.1", "[Unreleased]", "10.1.0", "# 0.1.0"} {
		if had := "## " + heading + "\n- old\n"; addRelease(had, release{plugin: "p", new: "0.1.0"}, "d", []string{"x"}) == had {
			t.Errorf("%q was taken for 0.1.0", heading)
		}
	}
	if got := addRelease("## 0.1.0\n- old\n", release{plugin: "p", new: "0.2.0"}, "d", []string{"x"}); !strings.HasPrefix(got, "## 0.2.0 (d)\n\n- x\n\n## 0.1.0\n") {
		t.Errorf("without a title: %q", got)
	}
}
