//go:build unix

package hook

import (
	"errors"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"testing"
)

// deaths are the ways in which Go ends a program on its own. Each exits 2 by
// default, which Claude Code reads as "block".
var deaths = map[string]func(){
	"panic":                 func() { panic("D'oh!") },
	"nil map":               func() { var m map[string]int; m["x"] = 1 },
	"panic in a goroutine":  func() { go panic("D'oh!"); select {} },
	"stack overflow":        func() { debug.SetMaxStack(1 << 20); overflow(0) },
	"deadlock":              func() { select {} },
	"unlock of unlocked":    func() { var m sync.Mutex; m.Unlock() },
	"concurrent map writes": concurrentWrites,
}

func overflow(n int) int { return overflow(n+1) + 1 }

func concurrentWrites() {
	m := map[int]int{}
	for range 8 {
		go func() {
			for i := 0; ; i++ {
				m[i%64] = i
			}
		}()
	}
	select {}
}

// TestMain lets the test binary die in the way that the environment names.
func TestMain(m *testing.M) {
	if death, ok := deaths[os.Getenv("HOOK_TEST_DEATH")]; ok {
		if os.Getenv("HOOK_TEST_ARMOUR") != "" {
			ArmourProcess()
		}
		death()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestArmour(t *testing.T) {
	for name := range deaths {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if code := die(t, name, ""); code != 2 {
				t.Fatalf("without armour exit code %d: this test shows nothing", code)
			}
			// -1: ended by a signal, which shells show as 134.
			if code := die(t, name, "on"); code != -1 {
				t.Errorf("exit code %d, want death by SIGABRT", code)
			}
		})
	}
}

func die(t *testing.T, name, armour string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Dir = t.TempDir() // where a core file would land
	cmd.Env = append(os.Environ(), "HOOK_TEST_DEATH="+name, "HOOK_TEST_ARMOUR="+armour, "GOTRACEBACK=")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it lives: %v", err)
	}
	return exit.ExitCode()
}
