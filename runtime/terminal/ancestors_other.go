//go:build unix && !linux && !darwin

package terminal

// lookUp finds nothing on systems without a release, where any terminal is accepted.
func lookUp(id int, _ bool) (process, error) { return process{id: id}, nil }
