package hosts

func geminiHost() Host {
	return Host{
		Name: "gemini", Title: "Gemini CLI", Agent: "Gemini",
		Program: "gemini", Dir: ".gemini", Variable: "GEMINI_CLI_HOME", Above: true,
		Traces: []string{"settings.json", "oauth_creds.json", "installation_id", "projects.json"},
		Settings: Settings{
			File: "settings.json", HooksOff: "hooksConfig.enabled=false",
			Record: linkRecordPath, Entries: editsToLink, Off: editsToUnlink,
		},
		Plugins: Plugins{
			ID: nameAlone, Needs: []string{"gemini/gemini-extension.json", "gemini/hooks/hooks.json"},
			Installed: extensionsInstalled, ByHand: stepsByHand,
		},
		Check: checkSwitches,
	}
}
