package generator

// Which springfield made a suite. springfield.yaml has the version of the release that
// last changed it.

import (
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// Page says how to get a newer springfield.
const Page = "https://github.com/cameronsjo/springfield/blob/main/docs/install.md"

// commitOf ends the pseudo-version that Go gives a commit between two releases.
var commitOf = regexp.MustCompile(`(^|\.)\d{14}-[0-9a-f]{12}$`)

// parseRelease reads the version of a release, like v0.2.0. A build between two releases
// has none: "(devel)", a pseudo-version, or one of files that are not committed.
func parseRelease(version string) (*semver.Version, bool) {
	digits, ok := strings.CutPrefix(version, "v")
	if !ok {
		return nil, false
	}
	v, err := semver.StrictNewVersion(digits)
	if err != nil || v.Metadata() != "" || commitOf.MatchString(v.Prerelease()) {
		return nil, false
	}
	return v, true
}

// IsRelease tells whether a version is that of a release.
func IsRelease(version string) bool {
	_, ok := parseRelease(version)
	return ok
}

// IsOlder tells whether one release came before another. Of other builds that is not known.
func IsOlder(version, than string) bool {
	a, okA := parseRelease(version)
	b, okB := parseRelease(than)
	return okA && okB && a.LessThan(b)
}

// released is a version as springfield.yaml records it, "" for that of no release.
func released(version string) string {
	if IsRelease(version) {
		return version
	}
	return ""
}
