package git

import (
	"net/url"
	"strings"

	"github.com/cameronsjo/springfield/runtime/display"
)

// FetchableURL converts a remote's URL for a catalog. It removes a password, query and fragment, and uses https for
// GitHub. ok is false if others cannot or should not fetch from it.
func FetchableURL(remote string) (address string, ok bool) {
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
	u.RawQuery, u.ForceQuery, u.Fragment = "", false, "" // may contain a token
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

// SameRepository reports whether two URLs or OWNER/REPO name the same repository.
func SameRepository(a, b string) bool { return Canonical(a) == Canonical(b) }

// Canonical converts a URL, USER@HOST:PATH or OWNER/REPO to HOST/PATH in lower case, to compare addresses.
// It lowers any other text.
func Canonical(address string) string {
	if at := scpLike.FindStringSubmatch(address); at != nil && !strings.Contains(address, "://") {
		address = "ssh://" + at[1] + "/" + at[2]
	}
	if ownerRepo.MatchString(address) {
		address = "https://github.com/" + address
	}
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Hostname() + "/" + strings.Trim(u.Path, "/")
	}
	return strings.ToLower(strings.TrimSuffix(address, ".git"))
}
