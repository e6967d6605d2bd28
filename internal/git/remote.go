package git

// Addresses of repositories: what a catalog may say of a remote, and which name the
// same one.

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
)

// scpLike is USER@HOST:PATH. A host of one letter is a drive of Windows; what
// begins with a colon would name a helper that git runs, as in ext::.
var scpLike = regexp.MustCompile(`^(?:[^@/:-][^@/:]*@)?([^@/:-][^@/:]+):([^:].*)$`)

// PublicURL is a remote as a catalog may name it: without a password, and for
// GitHub over https, which needs no key. Not ok: others cannot fetch from it, or
// should not.
func PublicURL(remote string) (where string, ok bool) {
	if display.OneLine(remote) != remote {
		return "", false
	}
	if at := scpLike.FindStringSubmatch(remote); at != nil && !strings.Contains(remote, "://") {
		if strings.EqualFold(at[1], "github.com") {
			return "https://github.com/" + strings.TrimLeft(at[2], "/"), true
		}
		return remote, true
	}
	u, err := url.Parse(remote)
	if err != nil || u.Hostname() == "" || strings.HasPrefix(u.Host, "-") {
		return "", false
	}
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, "" // which can hold a token
	switch {
	case strings.EqualFold(u.Hostname(), "github.com"):
		return "https://github.com/" + strings.TrimLeft(u.Path, "/"), true
	case u.Scheme == "https" || u.Scheme == "http":
		u.User = nil
	case u.Scheme != "ssh":
		return "", false
	case u.User != nil:
		u.User = url.User(u.User.Username())
	}
	return u.String(), true
}

// SameRepository tells whether two URLs, or OWNER/REPO, name one repository.
func SameRepository(a, b string) bool { return Canonical(a) == Canonical(b) }

// Canonical is HOST/PATH, the same for every way to write an address.
func Canonical(where string) string {
	if at := scpLike.FindStringSubmatch(where); at != nil && !strings.Contains(where, "://") {
		where = "ssh://" + at[1] + "/" + at[2]
	}
	if ownerRepo.MatchString(where) {
		where = "https://github.com/" + where
	}
	if u, err := url.Parse(where); err == nil && u.Host != "" {
		where = u.Hostname() + "/" + strings.Trim(u.Path, "/")
	}
	return strings.ToLower(strings.TrimSuffix(where, ".git"))
}

// ownerRepo is OWNER/REPO, as GitHub has them.
var ownerRepo = regexp.MustCompile(`^[A-Za-z0-9][-A-Za-z0-9]*/[-A-Za-z0-9._]+$`)
