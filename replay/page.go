// A report as an HTML page that fetches nothing.
//
// Text from sessions is data. html/template escapes the figures. The page's script shows the rows as text,
// from JSON in which no tag can end. The content policy only allows this style and this script, by hash.

package replay

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cameronsjo/springfield/internal/check"
	"github.com/cameronsjo/springfield/internal/rooted"
	"github.com/cameronsjo/springfield/runtime/display"
	"github.com/cameronsjo/springfield/runtime/file"
	"github.com/cameronsjo/springfield/runtime/registry"
)

//go:embed page/page.html.tmpl page/page.css page/page.js
var pageFiles embed.FS

// PageMark is near the beginning of every page that WriteHTML makes.
const PageMark = `<meta name="generator" content="springfield replay">`

func WriteHTML(w io.Writer, r Report) error {
	files := map[string]string{}
	for _, name := range []string{"page.html.tmpl", "page.css", "page.js"} {
		text, _ := pageFiles.ReadFile("page/" + name) // embedded
		// Browsers normalize line endings before they hash, and a checkout on Windows contains different ones.
		files[name] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
	t := template.Must(template.New("page").Funcs(templateFunctions()).Parse(files["page.html.tmpl"]))
	data, err := json.Marshal(r.pageData()) // escapes <, >, & and the line endings of JavaScript
	if err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	p := page{Report: &r, Best: r.best()}
	p.CSS, p.JS, p.Data = template.CSS(files["page.css"]), template.JS(files["page.js"]), template.JS(display.DropInvisible(string(data)))
	p.Policy = "default-src 'none'; style-src " + hashForPolicy(files["page.css"]) + "; script-src " + hashForPolicy(files["page.js"]) + "; base-uri 'none'; form-action 'none'"
	// The page is large, and not held in memory again. SafeWriter can also change the JSON, where an escape
	// is the same value.
	b := bufio.NewWriter(&display.SafeWriter{To: w})
	if err := t.Execute(b, p); err != nil {
		return fmt.Errorf("make page: %w", err)
	}
	return b.Flush()
}

// MapPaths replaces each path and strategy name in the report with path's result. path returns any other text
// unchanged.
func (r *Report) MapPaths(path func(string) string) {
	for i := range r.Rows {
		r.Rows[i].File, r.Rows[i].Project = path(r.Rows[i].File), path(r.Rows[i].Project)
	}
	for i := range r.Skipped {
		r.Skipped[i].File = path(r.Skipped[i].File)
	}
	for i := range r.Scores {
		r.Scores[i].Name = path(r.Scores[i].Name)
	}
}

// hashForPolicy returns the source 'sha256-…' for an inline style or script, with the quotes.
func hashForPolicy(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

type page struct {
	*Report
	Policy   string
	CSS      template.CSS
	JS, Data template.JS
	Best     int
}

func templateFunctions() template.FuncMap {
	return template.FuncMap{
		"clean": display.DropInvisible,
		"share": func(n, of int) string { return shareText(float64(n) / float64(max(1, of))) },
		"day": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Format("2 January 2006")
		},
		"means": func(l LabelCount) string { return strings.TrimPrefix(l.meaning(), "the stop was ") },
	}
}

func (r Report) pageData() any {
	type named struct {
		Title string `json:"title"`
		Agent string `json:"agent"`
	}
	data := struct {
		Scores []string         `json:"scores"`
		Best   int              `json:"best"`   // strategy to begin with
		Labels map[Label]bool   `json:"labels"` // of rows; true if Stop hooks ran there
		Hosts  map[string]named `json:"hosts"`  // by Row.Host
		Rows   []Row            `json:"rows"`
	}{nil, r.best(), map[Label]bool{}, map[string]named{}, r.Rows}
	data.Scores = check.NamesOf(r.Scores, func(s Score) string { return s.Name })
	for i := range r.Rows {
		row := &r.Rows[i]
		data.Labels[row.Label] = row.Label.HadStopHooks()
		data.Hosts[row.Host] = named{registry.TitleOf(row.Host), registry.AgentName(row.Host)}
	}
	return data
}

// PageFile is the file to write a page to. In is the directory that writing must not leave, or "" for the
// file's directory.
type PageFile struct{ Path, In string }

// CheckTarget reports whether the page exists. A different non-empty file and a missing directory are errors.
func (p PageFile) CheckTarget() (isPage bool, err error) {
	info, err := os.Lstat(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if dir, err := os.Stat(filepath.Dir(p.Path)); err != nil || !dir.IsDir() {
			return false, check.Advisef("create that directory first, or choose another file",
				"write page: %s is not a directory", filepath.Dir(p.Path))
		}
		return false, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("not a file")
	}
	var head []byte
	if err == nil {
		head, err = file.ReadBeginning(p.Path, 0, 2048)
	}
	if err != nil {
		return false, check.Advisef("choose another file", "write page: %s: %w", p.Path, check.DropPath(err))
	}
	if len(head) > 0 && !strings.Contains(string(head), PageMark) {
		return false, check.Advisef("choose another file, or move that one away",
			"write page: %s is not a page of springfield replay, so it was not overwritten", p.Path)
	}
	return len(head) > 0, nil
}

// WritePage writes a report as a page, atomically. It overwrites any file, so call CheckTarget first.
func (p PageFile) WritePage(r Report) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write page: %w", err)
		}
	}()
	ground := cmp.Or(p.In, filepath.Dir(p.Path))
	in, err := rooted.OpenFolder(ground)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	page, err := filepath.Rel(ground, p.Path)
	if err != nil {
		return err
	}
	return in.Replace(page, ".springfield-page-", func(w io.Writer) error { return WriteHTML(w, r) })
}
