// Which release of springfield is the newest: asked only by springfield version --check.

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"

	"github.com/cameronsjo/springfield/generator"
)

// releasesPage is where releases are. No variable and no file leads elsewhere.
const releasesPage = "https://github.com/cameronsjo/springfield/releases"

// mostWaiting is how long the answer may take, mostHeaders how long it may be, in bytes.
const (
	mostWaiting = 5 * time.Second
	mostHeaders = 16 << 10
)

// errNoRelease says that there is nothing to upgrade to.
var errNoRelease = errors.New("springfield has no release yet")

// askNewest asks which release is the newest, with one request that says nothing about its
// user. The page of the newest release redirects to that of its version; nothing is followed.
func askNewest(ctx context.Context, page string) (version string, err error) {
	ctx, stop := context.WithTimeout(ctx, mostWaiting)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, page+"/latest", nil)
	if err != nil {
		return "", err
	}
	request.Header.Set("User-Agent", "springfield")
	client := http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: mostHeaders, DisableKeepAlives: true, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		if err = failed.Err; failed.Timeout() {
			err = fmt.Errorf("no answer in %s", mostWaiting)
		}
		return "", fmt.Errorf("%s/latest: %w", page, err)
	}
	if err != nil {
		return "", err
	}
	_ = answer.Body.Close()
	where := answer.Header.Get("Location")
	if answer.StatusCode/100 != 3 || where == "" {
		return "", fmt.Errorf("%s/latest answered %s", page, answer.Status)
	}
	if where == page {
		return "", errNoRelease
	}
	version, ok := strings.CutPrefix(where, page+"/tag/")
	if !ok || !generator.IsRelease(version) {
		return "", fmt.Errorf("%s/latest leads to %q, which is no release of springfield", page, where)
	}
	return version, nil
}

// checked is version --check as JSON.
type checked struct {
	identity
	Newest  string `json:"newest"`
	Current bool   `json:"current"`           // this one is not older
	Upgrade string `json:"upgrade,omitempty"` // a command, or the page that says how
}

// checkNewest says whether there is a newer springfield, and how to get it.
func (a *app) checkNewest(ctx context.Context, is identity, asJSON bool) error {
	newest, err := askNewest(ctx, a.releases)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errNoRelease):
		return &hinted{err, "see " + a.releases}
	case err != nil:
		return &hinted{fmt.Errorf("ask for the newest springfield: %w", err),
			"look at " + a.releases + " with a browser; behind a proxy, set HTTPS_PROXY"}
	}
	c := checked{identity: is, Newest: newest, Current: isCurrent(is.Version, newest)}
	if !c.Current {
		c.Upgrade = howToUpgrade(is.buildInfo)
	}
	if asJSON {
		return a.encode(c)
	}
	switch {
	case c.Current && is.Version == newest:
		a.say("springfield %s is the newest release", is.Version)
		return nil
	case c.Current:
		a.say("springfield %s is not older than the newest release, %s", is.Version, newest)
		return nil
	}
	a.say("springfield %s is there, and this is %s", newest, is.Version)
	a.lines().Table("", [][]string{
		{"upgrade", c.Upgrade},
		{"then", "springfield update --all"},
	})
	return nil
}

// isCurrent tells whether a version is not older than a release. Of "(devel)" that is not
// known, so it counts as older.
func isCurrent(own, newest string) bool {
	a, errA := semver.NewVersion(own)
	b, errB := semver.NewVersion(newest)
	return errA == nil && errB == nil && !a.LessThan(b)
}

// howToUpgrade is the command that brings a newer springfield the way this one came, or
// the page that lists all ways where that is not sure.
func howToUpgrade(built buildInfo) string {
	if program, err := os.Executable(); err == nil {
		if way := wayOf(program); way.upgrade != "" {
			return way.upgrade
		}
	}
	if built.fetched {
		return "go install github.com/cameronsjo/springfield/cmd/springfield@latest"
	}
	return generator.Page
}
