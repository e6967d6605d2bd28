#!/bin/sh
# Writes FILE: the licences of Go and of all modules that are compiled into springfield on any of its machines.
# It fails if one of them asks for more than its text beside the program.
#
#   licences.sh FILE
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
GOBIN=$dir go install github.com/google/go-licenses@v1.6.0
printf '{{range .}}=== {{.Name}} {{.Version}}\n\n{{.LicenseText}}\n{{end}}' >"$dir/template"
for GOOS in linux darwin windows; do
  export GOOS
  # It looks for the modules' pages, too. Nothing hangs on that, so what it says of it is shown only with a failure.
  { "$dir/go-licenses" check ./cmd/springfield --ignore github.com/cameronsjo/springfield --allowed_licenses=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT &&
    "$dir/go-licenses" report ./cmd/springfield --ignore github.com/cameronsjo/springfield --template "$dir/template"; } >>"$dir/modules" 2>"$dir/said" ||
    { cat "$dir/said" >&2; exit 1; }
done
{
  echo "The programs of springfield contain the following software. springfield itself is under the licence in the file LICENSE."
  printf '\n=== Go, its standard library and runtime %s\n\n' "$(go env GOVERSION)"
  cat "$(go env GOROOT)/LICENSE"
  awk '/^=== / { keep = !seen[$0]++ } keep' "$dir/modules"
} >"$1"
