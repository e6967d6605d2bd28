//go:build unix && !linux && !darwin

package terminal

// lookUp returns a process with no parent, so that any terminal is accepted. There is no release for these systems.
func lookUp(id int, _ bool) (process, error) { return process{id: id}, nil }
