package hosts

func geminiHost() Host {
	h := extensionHost("gemini", "Gemini CLI", "Gemini")
	h.Variable, h.Above = "GEMINI_CLI_HOME", true
	h.Traces = []string{"settings.json", "oauth_creds.json", "installation_id", "projects.json"}
	h.HooksOff = "hooksConfig.enabled=false"
	return h
}
