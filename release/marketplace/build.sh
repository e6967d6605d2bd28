#!/bin/sh
# Makes the marketplace of a release: a git repository with the branches that agents fetch plugins from.
#
#   build.sh DIR VERSION SPRINGFIELD [REPOSITORY]
#
#   DIR          the repository to make; it must not exist
#   VERSION      of every plugin, three numbers
#   SPRINGFIELD  the program
#   REPOSITORY   where the branches of the release before are, if there was one; nothing is pushed to it
#
# Branch release is a suite with all plugins, as springfield publish leaves it. Branch plugins/NAME is one plugin of it,
# so that an agent fetches no other. The same commit, version and program give the same bytes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 3 ] && [ -n "$1" ] && [ -n "$2" ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
version=$2
springfield=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
from=${4-}
mkdir -p "$(dirname "$1")" && mkdir "$1"
dir=$(cd "$1" && pwd)
made=$(git -C "$here" rev-parse HEAD)
date=$(git -C "$here" log -1 --format=%ct)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
suite=$scratch/suite

# The suite, in a home of its own. The cache of Go is the user's, for a program that carries no hooks.
springfield() {
  env -i PATH="$PATH" HOME="$scratch" TMPDIR="${TMPDIR:-/tmp}" GOCACHE="$(go env GOCACHE 2>/dev/null)" SOURCE_DATE_EPOCH="$date" TERM=dumb "$springfield" "$@"
}
mkdir "$suite"
cp "$here/springfield.yaml" "$suite"
springfield init "$suite" --yes >"$scratch/said"
# Whoever gets a program gets the licences of what is compiled into it: the hooks have nothing but Go's own packages.
for plugin in "$suite"/*/.claude-plugin; do
  cp "$here/../../LICENSE" "$plugin/../LICENSE"
  { echo "The programs in hooks/ contain Go's standard library and runtime, which have this licence:" && echo && cat "$(go env GOROOT)/LICENSE"; } >"$plugin/../THIRD_PARTY_LICENSES"
done
springfield publish "$suite" --version "$version" --note "What is new: https://github.com/cameronsjo/springfield/blob/main/CHANGELOG.md" >"$scratch/said"
springfield validate "$suite" --strict
rm -rf "$suite/.github" # its workflow is for suites of others, and a forge lets only few programs push one
cat >>"$suite/README.md" <<END

## This branch

A release of springfield made it from commit $made; nothing here is changed by hand. Agents do not fetch this branch: each plugin has
one of its own, \`plugins/NAME\`, with the same files. The catalog that leads to them is \`.claude-plugin/marketplace.json\` on main.
END

sh "$here/branches.sh" "$suite" "$dir" "springfield $version, made from $made" "$date" "$from"
sed '/^  /,$d' "$scratch/said"
