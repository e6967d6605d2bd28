package hosts

func qwenHost() Host {
	const its extensions = "qwen"
	return Host{
		Name: "qwen", Title: "Qwen Code", Agent: "Qwen",
		Program: "qwen", Dir: ".qwen", Variable: "QWEN_HOME",
		Traces:   []string{"settings.json", "projects", "oauth_creds.json", "installation_id"},
		Settings: its.settings(),
		Plugins:  its.plugins(),
		Check:    its.checkSwitches("true", "disableAllHooks"),
	}
}
