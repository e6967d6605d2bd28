package judge

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// The hook writes questions and reads replies by their lists of members, the judge does
// it by tags: the two have the same names.
func TestHookAndJudgeUnderstandEachOther(t *testing.T) {
	asked := Question{"claude", "haiku", "S <&>", "P", 7, "/c", "https://a", "/p", []string{"a", "b"}}
	var question Question
	if err := json.Unmarshal(codec.Append(nil, &asked), &question); err != nil || !reflect.DeepEqual(question, asked) {
		t.Errorf("%+v, %v", question, err)
	}
	for _, said := range []Reply{{}, {true, "why", "haiku", Usage{1, 2, 3, 4}, 5, 6, Junk, "detail"}} {
		line, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		var reply Reply
		if err := codec.Read(line, &reply); err != nil || reply != said {
			t.Errorf("%s is read as %+v, %v", line, reply, err)
		}
		if got := codec.Append(nil, &said); string(got) != string(line) {
			t.Errorf("written %s, want %s", got, line)
		}
	}
}
