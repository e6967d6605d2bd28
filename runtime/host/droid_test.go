package host_test

// droidLines are lines that no recorded log has, with what they mean.
func droidLines() map[string]string {
	return map[string]string{
		// Words in the user's place that a hook of ours has said; the command is named, so it is counted there.
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"[springfield] go on"}]}}`: "1 | pushed [springfield] go on",
		// The role may stand behind the content.
		`{"type":"message","id":"1","message":{"content":[{"type":"text","text":"go"}],"role":"user"}}`:                                                                       "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>\n\n"},{"type":"text","text":"go"}]}}`: "1 | prompted go",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"}]}}`:                                 "-",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"image","source":{}}]}}`:                                                                      "1 | prompted ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"/why is running"}],"visibility":"user_only"}}`:                                 "-",
		// Two hooks at one stop, one of them ours; one that has died is none.
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/opt/other"},{"command":"\"/s/hooks/springfield-hook\""}],"hookResults":[{"exitCode":2,"stdout":""},{"exitCode":0,"stdout":"{\"decision\":\"block\",\"reason\":\"r\"}"}]}}`: "1 | block, ours false | block, ours true",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"Stop","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":127,"stdout":""}]}}`:                                                                                                "1 | rested ",
		`{"type":"message","id":"1","message":{"role":"user","content":[],"visibility":"user_only","hookEventName":"PreToolUse","hookCommands":[{"command":"/s/hooks/springfield-hook"}],"hookResults":[{"exitCode":0,"stdout":"{\"decision\":\"block\"}"}]}}`:                                                                    "-",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"user_cancelled"}`:                         " | interrupted ",
		`{"type":"agent_turn_outcome","turnId":"t","reason":"error"}`:                                  " | failed ",
		`{"type":"message","id":"1","message":{"role":"user","content":[{"type":"text","text":"go"}]}`: "-",
		`{"type":"message","id":"1"}`: "-",
		`{"id":"1"}`:                  "-",
	}
}
