package transcript

// For the tests. They read logs of Claude Code, whose package imports this one, and so lie
// outside of it.
const (
	MaxLine    = maxLine
	Chunk      = chunk
	MaxText    = maxText
	MaxPlans   = maxPlans
	MaxPath    = maxPath
	MaxTail    = maxTail
	MaxName    = maxName
	MaxNew     = maxNew
	MaxOurs    = maxOurs
	MaxRecent  = maxRecent
	MaxShort   = maxShort
	MaxStarted = maxStarted
	MaxTodos   = maxTodos
)

// EachPlan is what a test calls.
var EachPlan = eachPlan
