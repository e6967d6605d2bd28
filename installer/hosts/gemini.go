package hosts

func geminiHost() Host {
	const its extensions = "gemini"
	return Host{
		Name: "gemini", Title: "Gemini CLI", Agent: "Gemini",
		Program: "gemini", Dir: ".gemini", Variable: "GEMINI_CLI_HOME", Above: true,
		Traces:   []string{"settings.json", "oauth_creds.json", "installation_id", "projects.json"},
		Settings: its.settings(),
		Plugins:  its.plugins(),
		Check:    its.checkSwitches("false", "hooksConfig", "enabled"),
	}
}
