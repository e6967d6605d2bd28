package rules

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/cameronsjo/springfield/runtime/codec"
)

// The CLI writes rules by their tags, and the hook reads them by Members: the two have
// the same names.
func TestRulesAreReadAsTheyAreWritten(t *testing.T) {
	var rule, back Rule
	v := reflect.ValueOf(&rule).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("json") == "-" {
			continue
		}
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("a")
		case reflect.Int:
			f.SetInt(7)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"a", "b"}))
		default:
			t.Fatalf("field %s has a kind that this test does not know", v.Type().Field(i).Name)
		}
	}
	data, err := json.Marshal(rule)
	if err != nil {
		t.Fatal(err)
	}
	if fault := codec.ReadMember(data, "rule", data, func(m *codec.Members) { m.Object("rule", &back) }); fault != nil || !reflect.DeepEqual(back, rule) {
		t.Errorf("%s is read as %+v, %v", data, back, fault)
	}
}
