//go:build snapshot && unix

package release

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// registry is an npm registry on the loopback: it has what was published to it, and knows of nothing else.
type registry struct {
	mu       sync.Mutex
	packages map[string]*packument
	files    map[string][]byte // by the path of their address
	asked    []string          // requests for what it does not have, but for packages that are not there
	broken   string            // a package that cannot be published at the moment
}

// packument is what a registry says about a package.
type packument struct {
	Name     string                    `json:"name"`
	Tags     map[string]string         `json:"dist-tags"`
	Versions map[string]map[string]any `json:"versions"`
}

// publication is what npm publish sends.
type publication struct {
	packument
	Attachments map[string]struct {
		Data []byte `json:"data"`
	} `json:"_attachments"`
}

func (r *registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := strings.TrimPrefix(req.URL.Path, "/")
	data, isFile := r.files[name]
	switch {
	case req.Method == http.MethodPut && strings.HasPrefix(name, "@"):
		if code, err := r.publish(name, req.Body); err != nil {
			http.Error(w, fmt.Sprintf(`{"error": %q}`, err), code)
			return
		}
		fmt.Fprint(w, `{"ok": true}`)
	case isFile:
		_, _ = w.Write(data)
	case r.packages[name] != nil:
		_ = json.NewEncoder(w).Encode(r.packages[name])
	default:
		if !strings.HasPrefix(name, "@cameronsjo/springfield") {
			r.asked = append(r.asked, req.Method+" "+req.URL.Path)
		}
		http.Error(w, `{"error": "not found"}`, http.StatusNotFound)
	}
}

// publish takes a package that was not there in that version.
func (r *registry) publish(name string, body io.Reader) (code int, err error) {
	var p publication
	if err := json.NewDecoder(body).Decode(&p); err != nil {
		return http.StatusBadRequest, err
	}
	if name == r.broken {
		return http.StatusInsufficientStorage, errors.New("the disk is full")
	}
	at := r.packages[name]
	if at == nil {
		at = &packument{Name: name, Tags: map[string]string{}, Versions: map[string]map[string]any{}}
	}
	for version, about := range p.Versions {
		if at.Versions[version] != nil {
			return http.StatusForbidden, errors.New("you cannot publish over the previously published versions")
		}
		for file, sent := range p.Attachments {
			dist, _ := about["dist"].(map[string]any)
			sum := sha512.Sum512(sent.Data)
			if dist["integrity"] != "sha512-"+base64.StdEncoding.EncodeToString(sum[:]) {
				return http.StatusBadRequest, fmt.Errorf("%s does not have the checksum %v", file, dist["integrity"])
			}
			address, _ := dist["tarball"].(string)
			_, address, _ = strings.Cut(strings.TrimPrefix(address, "http://"), "/")
			r.files[address] = sent.Data
		}
		at.Versions[version] = about
	}
	for tag, version := range p.Tags {
		at.Tags[tag] = version
	}
	r.packages[name] = at
	return 0, nil
}
