//go:build !linux && !darwin

package generator

func isNoExec(string) bool { return false }
