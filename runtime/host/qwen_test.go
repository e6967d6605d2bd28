package host_test

// qwenLines are lines that no recorded log has, with what they mean.
func qwenLines() map[string]string {
	user := func(more, parts string) string {
		return `{"uuid":"u","type":"user"` + more + `,"message":{"role":"user","parts":[` + parts + `]}}`
	}
	return map[string]string{
		"":                "-",
		`{"type":"user"}`: "-",
		user(``, `{"text":"older versions do not say who"}`):                                                                                                           "u | prompted older versions do not say who",
		user(`,"provenance":"real_user","subtype":"mid_turn_user_message"`, `{"text":"and this"}`):                                                                     "u | joined and this",
		user(`,"provenance":"system","subtype":"cron"`, `{"text":"check the build"}`):                                                                                  "u | woken check the build",
		user(`,"provenance":"system"`, `{"text":"the host's own"}`):                                                                                                    "-",
		user(`,"provenance":"real_user","subtype":"realtime_message"`, `{"text":"hm"}`):                                                                                "-",
		user(`,"provenance":"real_user"`, `{"inlineData":{"mimeType":"image/png","data":"x"}}`):                                                                        "u | prompted ",
		user(`,"provenance":"real_user"`, `{"text":"<system-reminder>it is late"},{"text":"go"}`):                                                                      "u | prompted go",
		user(`,"provenance":"real_user"`, `{"text":"<qwen:user-prompt-submit-context>"}`):                                                                              "-",
		user(`,"systemPayload":{"displayText":"read @a.md"}`, `{"text":"read @a.md"},{"text":"--- a.md ---"}`):                                                         "u | prompted read @a.md",
		user(`,"systemPayload":{"displayText":"read @a.md"}`, `{"text":"--- a.md ---"}`):                                                                               "u | prompted read @a.md",
		user(``, `{"text":"[springfield] go on"}`):                                                                                                                     "u | pushed [springfield] go on | block, ours true",
		user(`,"subtype":"notification"`, `{"text":"<task-notification><task-id>m_1</task-id><event>x</event>"}`):                                                      "u | woken <task-notification><task-id>m_1</task-id><event>x</event>",
		user(`,"subtype":"notification"`, `{"text":"<task-id>a</task-id><status>failed</status><task-id>b</task-id><status>running</status>"}`):                        "u | woken <task-id>a</task-id><status>failed</status><task-id>b</task-id><status>running</status> | ended a",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"text":"thinks","thought":true},{"text":"says"}]}}`:                                                       "a | says says",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"skill","args":{"skill":"pdf"}}}]}}`:                                      `a | calls 1 skill, does 6 pdf {"skill":"pdf"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"task_stop","args":{"task_id":"bg_1"}}}]}}`:                               `a | calls 1 task_stop, does 8 bg_1 {"task_id":"bg_1"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"tool_call","args":{"name":"todo_write","arguments":{}}}}]}}`:             `a | calls 1 todo_write, does 1  {}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"exit_plan_mode","args":{"plan":"p"}}}]}}`:                                `a | calls 1 exit_plan_mode, does 13  {"plan":"p"}`,
		`{"uuid":"a","type":"assistant","message":{"parts":[{"functionCall":{"id":"1","name":"edit","args":{"file_path":"/p/plan.md"}}}]}}`:                            `a | calls 1 edit, does 11  {"file_path":"/p/plan.md"}`,
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Monitor started.\nid: mon_1\ncommand: x"}}}]}}`:      `r | result of 1, failed false: Monitor started.\nid: mon_1\ncommand: x | job mon_1`,
		`{"uuid":"r","type":"tool_result","message":{"parts":[{"functionResponse":{"id":"1","response":{"output":"Workflow started in background.\nRun ID: w-1"}}}]}}`: `r | result of 1, failed false: Workflow started in background.\nRun ID: w-1 | job w-1`,
		`{"uuid":"s","type":"system","subtype":"chat_compression","message":{"parts":[{"text":"a summary"}]}}`:                                                         "-",
		`{"uuid":"a","type":"assistant","message":{"parts":[{"text":"torn`:                                                                                             "-",
	}
}
