#!/bin/sh
# Builds the snapshot of the last commit twice and compares every file of it: in two clones, at paths of different
# length, with another home, umask and time zone. The second build has no cache of compiled packages either.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
modules=$(go env GOMODCACHE)
cache=$(go env GOCACHE)
# goreleaser itself is compiled once: it is no part of what is compared.
GOBIN="$scratch/bin" go install "$GORELEASER_MODULE"

# build HOME CLONE CACHE UMASK ZONE
build() (
    mkdir -p "$1" "$3"
    umask "$4"
    git clone --quiet "$here" "$2"
    cd "$2"
    env HOME="$1" GOMODCACHE="$modules" GOCACHE="$3" TZ="$5" GOFLAGS= make snapshot GORELEASER="$scratch/bin/goreleaser" >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        exit 1
    }
)
build "$scratch/home" "$scratch/one" "$cache" 022 UTC
build "$scratch/another home" "$scratch/a second clone with a longer path" "$scratch/cache" 077 Asia/Tokyo

# What a release has, and the manifests that are pushed elsewhere. dist/ also has goreleaser's notes on its own work.
# The manifest of winget has the day of the release, and its two installers in any order.
released() {
    (cd "$1/dist" && find winget -type f -exec sed -i '/^ReleaseDate: /d' {} + && find winget -type f -exec sort -o {} {} \; &&
        { cut -c67- SHA256SUMS && echo SHA256SUMS && find homebrew scoop winget -type f; } | sort | tr '\n' '\0' | xargs -0 sha256sum)
}
released "$scratch/one" >"$scratch/first"
released "$scratch/a second clone with a longer path" >"$scratch/second"
diff "$scratch/first" "$scratch/second" && echo "$(wc -l <"$scratch/first") files are the same in both"
