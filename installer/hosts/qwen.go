package hosts

func qwenHost() Host {
	return Host{
		Name: "qwen", Title: "Qwen Code", Agent: "Qwen",
		Program: "qwen", Dir: ".qwen", Variable: "QWEN_HOME",
		Traces: []string{"settings.json", "projects", "oauth_creds.json", "installation_id"},
		Settings: Settings{
			File: "settings.json", HooksOff: "disableAllHooks=true",
			Record: linkRecordPath, Entries: editsToLink, Off: editsToUnlink,
		},
		Plugins: Plugins{
			ID: nameAlone, Needs: []string{"qwen/qwen-extension.json", "qwen/hooks/hooks.json"},
			Installed: extensionsInstalled, ByHand: stepsByHand,
		},
		Check: checkSwitches,
	}
}
