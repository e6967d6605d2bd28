package hook

// runScript does nothing: Windows cannot start a shell script by its name.
func runScript(path, dir string, args []string) {}
