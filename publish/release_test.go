package publish

import (
	"testing"
)

func TestVersions(t *testing.T) {
	for _, test := range []struct{ version, part, want string }{
		{"0.1.0", "patch", "0.1.1"}, {"0.1.9", "minor", "0.2.0"}, {"1.2.3", "major", "2.0.0"}, {"1.2.3-rc.1", "patch", "1.2.3"}, {"1.2.3+7", "minor", "1.3.0"},
		{"1.2", "patch", ""}, {"v1.2.3", "patch", ""}, {"1.2.3", "all", ""},
	} {
		if got, err := raiseVersion(test.version, test.part); got != test.want || (err != nil) != (test.want == "") {
			t.Errorf("bump(%s, %s) = %s, %v", test.version, test.part, got, err)
		}
	}
	for _, test := range []struct {
		from, to string
		ok       bool
	}{
		{"0.1.0", "0.1.1", true}, {"0.9.0", "0.10.0", true}, {"1.0.0-rc.1", "1.0.0", true},
		{"0.1.0", "0.1.0", false}, {"0.2.0", "0.1.9", false}, {"1.0.0", "1.0.0-rc.1", false}, {"1.0.0", "1.0.0+2", false}, {"1.0.0", "2", false}, {"x", "1.0.0", false},
	} {
		if err := whyNotNewer(test.from, test.to); (err == nil) != test.ok {
			t.Errorf("grows(%s, %s) = %v", test.from, test.to, err)
		}
	}
}
