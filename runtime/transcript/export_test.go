package transcript

// The tests read logs of Claude Code, whose package imports this one, so they are an external package.
const (
	MaxLine    = maxLine
	Chunk      = 128 << 10
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

var EachPlan = eachPlan
