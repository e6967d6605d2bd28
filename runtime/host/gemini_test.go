package host_test

// geminiLines are lines that no recorded log has, with what they mean.
func geminiLines() map[string]string {
	user := func(content string) string { return `{"id":"u","type":"user","content":` + content + `}` }
	return map[string]string{
		"":                                    "-",
		`{"type":"user"}`:                     "-",
		user(`"one text"`):                    "u | prompted one text",
		user(`["one","two"]`):                 "u | prompted one",
		user(`[{"text":"Please continue."}]`): "-",
		user(`[{"text":"<session_context>\nhere"}]`):        "-",
		user(`[{"text":"<hook_context>x</hook_context>"}]`): "-",
		user(`[{"text":"[springfield] go on"}]`):            "u | pushed [springfield] go on | block, ours true",
		`{"id":"u","type":"user","content":[{"text":"[springfield] go on"}],"displayContent":[{"text":"execute the plan"}]}`: "u | pushed [springfield] go on | block, ours true",
		user(`[{"inlineData":{"data":"x"}}]`): "u | prompted ",
		user(`[{"text":"User steering update:\nx"},{"functionResponse":{"id":"1","response":{"output":"o"}}}]`):                                                      "u | result of 1, failed false: o",
		user(`[{"functionResponse":{"id":"1","response":{"error":"cancelled"}}}]`):                                                                                   "u | result of 1, failed true: cancelled",
		`{"id":"u","type":"user","content":[{"text":"@a.md and its content"}],"displayContent":[{"text":"@a.md"}]}`:                                                  "u | prompted @a.md",
		`{"id":"m","type":"info","content":"the model has changed"}`:                                                                                                 "-",
		`{"id":"m","type":"gemini","content":""}`:                                                                                                                    "m | says ",
		`{"id":"m","type":"gemini","content":[{"text":"a","thought":true},{"text":"b"}]}`:                                                                            "m | says b",
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"write_file","args":{"file_path":"plan.md"}},{"id":"2","name":"ask_user","args":{}}]}`: `2 | says  | calls 1 write_file, does 11  {"file_path":"plan.md"} | calls 2 ask_user, does 10  {}`,
		`{"id":"m","type":"gemini","content":"","toolCalls":[{"id":"1","name":"activate_skill","args":{"name":"pdf"}}]}`:                                             `1 | says  | calls 1 activate_skill, does 6 pdf {"name":"pdf"}`,
		`{"$set":{"messages":[{"id":"u","type":"user","content":"again"}]}}`:                                                                                         "-",
		`{"$rewindTo":"u"}`: "-",
		`{"sessionId":"s","projectHash":"h","kind":"main"}`:     " | session s",
		`{"sessionId":"s","projectHash":"h","kind":"subagent"}`: "-",
		`{"id":"m","type":"gemini","content":"torn`:             "-",
	}
}
