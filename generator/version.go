package generator

import (
	"regexp"

	"github.com/Masterminds/semver/v3"
)

// Page says how to get a springfield.
const Page = "https://github.com/cameronsjo/springfield/blob/main/docs/install.md"

// commitOf ends the pseudo-version that Go gives a commit between two releases.
var commitOf = regexp.MustCompile(`(^|\.)\d{14}-[0-9a-f]{12}$`)

// IsRelease tells whether a version is that of a release, like v0.2.0. A build between two releases
// has none: "(devel)", a pseudo-version, or one of files that are not committed.
func IsRelease(version string) bool {
	v, err := semver.NewVersion(version)
	return err == nil && v.Original() == "v"+v.String() && v.Metadata() == "" && !commitOf.MatchString(v.Prerelease())
}

// released is a version as springfield.yaml records it, "" for that of no release.
func released(version string) string {
	if IsRelease(version) {
		return version
	}
	return ""
}
