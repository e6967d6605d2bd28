// Verbs of work. "Now update the table." and "Committing." say what Claude does
// next; "Now it works." and "Nothing else." do not, and the verb is what tells
// them apart. Verbs that a person is told to do ("Now try it", "restart") are
// left out on purpose.

package rules

import (
	"slices"
	"strings"
)

// verbs are in alphabetical order, in their base form.
func verbs() []string {
	return []string{
		"add", "address", "adjust", "analyse", "analyze", "append", "apply", "assemble", "audit", "bisect", "build", "bump", "capture", "change",
		"check", "clean", "collect", "combine", "commit", "compare", "compile", "compute", "confirm", "continue", "convert", "copy", "correct",
		"create", "cross-check", "debug", "define", "delegate", "delete", "dig", "dispatch", "document", "double-check", "draft", "drop", "edit",
		"examine", "execute", "exercise", "expand", "explore", "export", "extend", "extract", "fetch", "fill", "find", "finish", "fix", "format",
		"gather", "generate", "get", "grep", "handle", "implement", "import", "improve", "insert", "inspect", "install", "integrate", "investigate",
		"kick", "launch", "link", "lint", "list", "load", "locate", "look", "make", "map", "mark", "measure", "merge", "migrate", "move", "patch",
		"perform", "pin", "prepare", "proceed", "process", "profile", "propagate", "pull", "push", "query", "re-check", "re-read", "re-run",
		"re-test", "re-verify", "read", "rebase", "rebuild", "record", "redo", "refactor", "regenerate", "register", "remove", "rename", "replace",
		"reproduce", "rerun", "research", "resolve", "restore", "resume", "retry", "review", "revise", "rewrite", "run", "save", "scaffold", "scan",
		"search", "sketch", "simplify", "spawn", "split", "squash", "stage", "start", "strip", "sweep", "switch", "sync", "tackle", "tag", "test",
		"tidy", "trace", "trim", "tune", "update", "validate", "verify", "wire", "work", "wrap", "write",
	}
}

// isWork tells whether a word is one of the verbs.
func isWork(word string) bool {
	_, found := slices.BinarySearch(verbs(), word)
	return found
}

// isWorking tells whether a word is the -ing form of one of the verbs:
// checking, writing (write), committing (commit).
func isWorking(word string) bool {
	stem, ok := strings.CutSuffix(word, "ing")
	if !ok || stem == "" {
		return false
	}
	last := len(stem) - 1
	return isWork(stem) || isWork(stem+"e") || last > 0 && stem[last] == stem[last-1] && isWork(stem[:last])
}

// firstWord is what a text begins with, up to the first character that is
// neither a letter nor a hyphen.
func firstWord(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && c != '-' {
			return s[:i]
		}
	}
	return s
}
