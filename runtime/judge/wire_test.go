package judge

import (
	"reflect"
	"testing"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// What one of hook and judge writes the other reads.
func TestHookAndJudgeUnderstandEachOther(t *testing.T) {
	asked := Question{"claude", "haiku", "S <&>", "P", 7, "/c", "https://a", "/p", []string{"a", "b"}}
	var question Question
	if err := codec.ReadObject(codec.Append(nil, &asked), &question); err != nil || !reflect.DeepEqual(question, asked) {
		t.Errorf("%+v, %v", question, err)
	}
	for _, said := range []Reply{{}, {true, "why", "haiku", Usage{1, 2, 3, 4}, 5, 6, Junk, "detail"}} {
		var reply Reply
		if err := codec.ReadObject(codec.Append(nil, &said), &reply); err != nil || reply != said {
			t.Errorf("%+v is read as %+v, %v", said, reply, err)
		}
	}
}
