// Code generated from the folders of runtime/host by `make generate`. DO NOT EDIT.

package registry

import (
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/host/codex"
	"github.com/cameronsjo/springfield/runtime/host/copilot"
	"github.com/cameronsjo/springfield/runtime/host/droid"
	"github.com/cameronsjo/springfield/runtime/host/gemini"
	"github.com/cameronsjo/springfield/runtime/host/qwen"
)

// Hosts are all there are, in alphabetical order. They must not be changed.
var Hosts = []*host.Host{
	&claude.Host,
	&codex.Host,
	&copilot.Host,
	&droid.Host,
	&gemini.Host,
	&qwen.Host,
}
