package transcript_test

import (
	"github.com/cameronsjo/springfield/runtime/activity"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	. "github.com/cameronsjo/springfield/runtime/transcript"
)

// The logs of these tests are Claude Code's.
var format = claude.Host().Log

func Read(path string, prior Log) (Log, View, error)   { return format.ReadNew(path, prior, false) }
func Glance(path string, prior Log) (Log, View, error) { return format.ReadNew(path, prior, true) }
func Tail(path string, n int) (activity.Window, error) { return format.LinesAbout(path, n, "") }
func About(path string, n int, word string) (activity.Window, error) {
	return format.LinesAbout(path, n, word)
}
func Each(path string, tail int, visit func(*Cursor) bool) error {
	return format.EachLine(path, tail, visit)
}
