// Code generated from the folders of runtime/strategy by `make generate`. DO NOT EDIT.

package registry

import (
	"github.com/cameronsjo/springfield/runtime/strategy"
	"github.com/cameronsjo/springfield/runtime/strategy/bart"
	"github.com/cameronsjo/springfield/runtime/strategy/lisa"
	"github.com/cameronsjo/springfield/runtime/strategy/marge"
	"github.com/cameronsjo/springfield/runtime/strategy/ned"
	"github.com/cameronsjo/springfield/runtime/strategy/speckit"
	"github.com/cameronsjo/springfield/runtime/strategy/specum"
	"github.com/cameronsjo/springfield/runtime/strategy/todocontinuation"
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
	&todocontinuation.Strategy,
}
