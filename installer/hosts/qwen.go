package hosts

func qwenHost() Host {
	h := extensionHost("qwen", "Qwen Code", "Qwen")
	h.Variable = "QWEN_HOME"
	h.Traces = []string{"settings.json", "projects", "oauth_creds.json", "installation_id"}
	h.HooksOff = "disableAllHooks=true"
	return h
}
