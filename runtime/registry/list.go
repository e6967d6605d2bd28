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

func strategyConstructors() []func() strategy.Strategy {
	return []func() strategy.Strategy{
		bart.Strategy,
		lisa.Strategy,
		marge.Strategy,
		ned.Strategy,
		speckit.Strategy,
		specum.Strategy,
		wiggum.Strategy,
		todocontinuation.Strategy,
	}
}

func constructorNamed(name string) func() strategy.Strategy {
	switch name {
	case bart.Name:
		return bart.Strategy
	case lisa.Name:
		return lisa.Strategy
	case marge.Name:
		return marge.Strategy
	case ned.Name:
		return ned.Strategy
	case speckit.Name:
		return speckit.Strategy
	case specum.Name:
		return specum.Strategy
	case wiggum.Name:
		return wiggum.Strategy
	case todocontinuation.Name:
		return todocontinuation.Strategy
	}
	return nil
}
