package backend

import "github.com/cameronsjo/springfield/runtime/judge"

// Hint is what to do about a judge that does not answer.
func Hint(why judge.Failure) string {
	switch why {
	case judge.TimedOut:
		return "give it more time: \"judge\": {\"within\": 40} in the plugin's strategy.json, and a timeout 10 seconds longer in its hooks.json"
	case judge.NoClient:
		return "put Claude Code's claude on PATH, or name it in your own lisa-simpson.json: \"judge\": {\"client\": \"/path/to/claude\"}"
	case judge.NoBinary:
		return "springfield build compiles springfield-judge into the plugin"
	case judge.NoKey:
		return "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN where Claude Code starts, or use the backend claude"
	case judge.LoggedOut:
		return "log in: claude, then /login; with the backend api, check the key"
	case judge.RateLimit, judge.Overloaded:
		return "wait a little; the hook tries again by itself"
	case judge.Refused:
		return "check the model's name and the address; the backend openai needs \"address\" in your own lisa-simpson.json"
	case judge.NoNetwork:
		return "check the network, the proxy and the address: ANTHROPIC_BASE_URL, or judge.address in your own lisa-simpson.json"
	case judge.Redirected:
		return "move that member to your own settings, if you trust it"
	case judge.Recursive:
		return "unset " + judge.InJudge
	case judge.Junk:
		return "try another model: LISA_SIMPSON_MODEL"
	}
	return "see whether Claude Code answers by itself: claude -p hello"
}
