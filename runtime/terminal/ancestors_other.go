//go:build unix && !linux && !darwin

package terminal

// lookUp knows nothing on systems that no release is for: there a terminal is enough.
func lookUp(id int) (process, error) { return process{id: id}, nil }
