#!/bin/sh
# Publishes what npm pack has made in DIR, the programs first and the launcher last: who gets that can get the programs.
# It can be repeated: what the registry has is left out. Nothing is published if it has one of them with other bytes.
#
#   publish.sh DIR [FLAG OF npm publish]...
set -eu
cd "$1"
shift
missing=
for file in cameronsjo-springfield-[a-z]*.tgz cameronsjo-springfield-[0-9]*.tgz; do
  name=$(tar -xOf "$file" package/package.json | sed -n 's/^  "name": "\(.*\)",$/\1/p')
  version=$(tar -xOf "$file" package/package.json | sed -n 's/^  "version": "\(.*\)",$/\1/p')
  [ -n "$name" ] && [ -n "$version" ] || { echo "publish.sh: $file names no package" >&2; exit 1; }
  there=$(npm view --loglevel=error "$name@$version" dist.integrity 2>&1) || case $there in *E404*) there= ;; *) echo "$there" >&2; exit 1 ;; esac
  case $there in
    "") missing="$missing $file" ;;
    "sha512-$(openssl dgst -sha512 -binary "$file" | openssl base64 -A)") echo "$name@$version is there already" ;;
    *) echo "publish.sh: $name@$version is in the registry with another content" >&2; exit 1 ;;
  esac
done
for file in $missing; do
  tag=latest
  case $file in *-[0-9]*.[0-9]*.[0-9]*-*.tgz) tag=next ;; esac # npm install without a version gives finished ones
  npm publish "./$file" --access public --tag "$tag" "$@"
  echo "$file is published"
done
