package host_test

// copilotLines are lines that no recorded log has, with what they mean.
func copilotLines() map[string]string {
	return map[string]string{
		`{"type":"user.message","data":{"content":"go","source":"command-why","messageId":"m"},"id":"1"}`:                                                                         "1 | prompted go | prompt \"m\"",
		`{"type":"user.message","data":{"content":"go","source":"schedule-1","messageId":"m"},"id":"1"}`:                                                                          "1 | woken go",
		`{"type":"user.message","data":{"content":"body","source":"skill-pdf"},"id":"1"}`:                                                                                         "1 | part 7 pdf",
		`{"type":"user.message","data":{"content":"[springfield] go on","delivery":"queued","agentMode":"plan"},"id":"1"}`:                                                        "1 | pushed [springfield] go on | mode plan",
		`{"type":"user.message","data":{"content":"go"},"agentId":"a","id":"1"}`:                                                                                                  "-",
		`{"type":"user.message","data":{"content":"go"},"id":"1"`:                                                                                                                 "-",
		`{"type":"abort","data":{"reason":"user_initiated"},"id":"1"}`:                                                                                                            "1 | interrupted ",
		`{"type":"session.error","data":{"message":"no"},"id":"1"}`:                                                                                                               "1 | failed ",
		`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"<command with shellId: 7 is still running after 30 seconds>"}},"id":"1"}`: "1 | result of c, failed false: <command with shellId: 7 is still running after 30 seconds> | job 7",
	}
}
