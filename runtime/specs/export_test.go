package specs

// The tests use the two strategies that import this package, so they are an external package.
const (
	AllDone   = allDone
	MaxErrors = maxErrors
	QuickMode = quickMode
)

var (
	SaysDone  = saysDone
	TaskBlock = taskBlock
)
