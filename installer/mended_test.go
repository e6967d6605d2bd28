package installer

// Bugs that were found once, each by torturing the package, and do not come back.

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestUndoKeepsTheModeOfToday(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, twoSpaces) // 0644
	enable(t, p, p.plugin("ned-flanders"), User, false)
	if err := os.Chmod(user, 0o600); err != nil {
		t.Fatal(err)
	}
	undo(t, p)
	info, err := os.Stat(user)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("made private after the edit, and %v after undo", info.Mode())
	}
}

func TestUndoLeavesReadOnlyFiles(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, twoSpaces)
	enable(t, p, p.plugin("ned-flanders"), User, false)
	if err := os.Chmod(user, 0o444); err != nil {
		t.Fatal(err)
	}
	if _, _, err := PlanUndo(p); err == nil {
		t.Error("undo of a file that its owner has marked read-only since is not refused")
	}
	if _, err := PlanDisable(p, p.plugin("ned-flanders"), User); err == nil {
		t.Error("disable is not refused")
	}
}

func TestANumberIsACap(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, `{"env": {"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": 50}}`)
	plan, err := PlanEnable(p, Enabling{Plugin: p.plugin("ned-flanders"), Scope: User, Rounds: 30})
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(p); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(look(t, user), "50") {
		t.Errorf("a cap of 50 was lowered: %s", look(t, user))
	}
}

func TestALatteGivenTwiceIsRefused(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, `{"enabledPlugins": {"double-shot-latte@a": false, "double-shot-latte@a": true}}`)
	plan, err := PlanEnable(p, Enabling{Plugin: p.plugin("ned-flanders"), Scope: User})
	if err == nil {
		t.Errorf("another latte, given twice and on, is neither refused nor switched off nor named: notes %q\n%s", plan.Notes, plan.Diff())
	}
}

func TestWhatCannotBeTakenBackIsRemembered(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, twoSpaces)
	plan, err := PlanEnable(p, Enabling{Plugin: p.plugin("ned-flanders"), Scope: Project, Declare: true})
	if err != nil || len(plan.edits) != 2 {
		t.Fatal(err)
	}
	if err := plan.edits[0].apply(p); err != nil {
		t.Fatal(err)
	}
	rewriteAsClient(t, user, 1)
	// Because the second file cannot be written.
	if err := plan.edits[0].takeBack(p); !errors.Is(err, errLeft) {
		t.Errorf("taken back: %v", err)
	}
	m, err := p.recall(user)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(look(t, user), "extraKnown") && m == nil {
		t.Errorf("our declaration stays, and nobody remembers it:\n%s", look(t, user))
	}
}

func TestJournalIsSwept(t *testing.T) {
	p := newPlaces(t)
	user := settingsOf(t, p, User)
	put(t, user, twoSpaces)
	enable(t, p, p.plugin("ned-flanders"), User, false)
	left := filepath.Join(p.state("journal"), ".00000001.json.springfield-1.tmp")
	put(t, left, "secrets")
	old := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		disable(t, p, p.plugin("ned-flanders"), User)
		enable(t, p, p.plugin("ned-flanders"), User, false)
	}
	if exists(left) {
		t.Error("what a kill has left in the journal stays for ever")
	}
}

func TestBrokenTextIsNoPlugin(t *testing.T) {
	p := newPlaces(t)
	put(t, settingsOf(t, p, User), `{"enabledPlugins": {"double-shot-latte@a\ud800": true}}`)
	if _, err := PlanEnable(p, Enabling{Plugin: p.plugin("ned-flanders"), Scope: User}); err != nil {
		t.Error(err)
	}
}
