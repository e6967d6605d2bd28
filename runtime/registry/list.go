// Code generated from the folders of runtime/strategy and runtime/host by `make generate`. DO NOT EDIT.

package registry

import (
	"github.com/cameronsjo/springfield/runtime/host"
	"github.com/cameronsjo/springfield/runtime/host/claude"
	"github.com/cameronsjo/springfield/runtime/host/codex"
	"github.com/cameronsjo/springfield/runtime/host/copilot"
	"github.com/cameronsjo/springfield/runtime/host/droid"
	"github.com/cameronsjo/springfield/runtime/host/gemini"
	"github.com/cameronsjo/springfield/runtime/host/qwen"
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/bart"
	"github.com/cameronsjo/springfield/runtime/strategy/lisa"
	"github.com/cameronsjo/springfield/runtime/strategy/marge"
	"github.com/cameronsjo/springfield/runtime/strategy/ned"
	"github.com/cameronsjo/springfield/runtime/strategy/speckit"
	"github.com/cameronsjo/springfield/runtime/strategy/specum"
	"github.com/cameronsjo/springfield/runtime/strategy/todo"
	"github.com/cameronsjo/springfield/runtime/strategy/wiggum"
)

// Strategies are all there are, in alphabetical order.
var Strategies = []*strategy.Strategy{
	&bart.Strategy,
	&lisa.Strategy,
	&marge.Strategy,
	&ned.Strategy,
	&speckit.Strategy,
	&specum.Strategy,
	&wiggum.Strategy,
	&todo.Strategy,
}

// Hosts are all there are, in alphabetical order. They must not be changed.
var Hosts = []*host.Host{
	&claude.Host,
	&codex.Host,
	&copilot.Host,
	&droid.Host,
	&gemini.Host,
	&qwen.Host,
}
