package layout

import "testing"

func TestTilde(t *testing.T) {
	for text, want := range map[string]string{
		"read /home/ned/x: in /home/ned, “/home/ned”": "read ~/x: in ~, “~”",
		"/home/nedward /home/ned.bak /home/ned-x":     "/home/nedward /home/ned.bak /home/ned-x",
		"/mnt/home/ned ./home/ned file:///home/ned":   "/mnt/home/ned ./home/ned file:///home/ned",
		"go to '/home/ned/my hooks'":                  "go to '/home/ned/my hooks'",
		"--suite=/home/ned/x":                         "--suite=/home/ned/x",
		"/home/ned/home/ned/home/ned":                 "~/home/ned/home/ned",
	} {
		if got := WithTilde(text, "/home/ned"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, home := range []string{"", "/"} {
		if got := WithTilde("/home/ned/x", home); got != "/home/ned/x" {
			t.Errorf("with home %q: %q", home, got)
		}
	}
}
