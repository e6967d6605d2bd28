#!/bin/sh
# Commits a suite to the branches of a marketplace: release, and plugins/NAME for each plugin.
#
#   branches.sh SUITE DIR MESSAGE SECONDS [REPOSITORY]
#
#   SUITE       a directory that springfield init has made
#   DIR         a directory for the repository, empty or with the branches of the release before
#   MESSAGE     of the commits; its first two words, like "springfield 0.3.0", say which release it is
#   SECONDS     the time of the commits, since 1970
#   REPOSITORY  where the branches of the release before are
set -eu
suite=$(cd "$1" && pwd)
cd "$2"
message=$3
release=${message%%,*}
# Nothing of the user's configuration counts, and no variable of git's: the commits are the same everywhere.
# Without a configuration git still reads attributes from the user's home; what it would ignore is added by force.
unset $(git rev-parse --local-env-vars) GIT_TEMPLATE_DIR
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_ATTR_NOSYSTEM=1 GIT_INDEX_FILE="$PWD/.git/branches.index"
export GIT_AUTHOR_NAME=springfield GIT_AUTHOR_EMAIL=springfield@users.noreply.github.com GIT_AUTHOR_DATE="$4 +0000"
export GIT_COMMITTER_NAME=$GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL=$GIT_AUTHOR_EMAIL GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
git init -q --template= -b release .
git config core.attributesFile /dev/null

# The newest commit of each branch is enough to commit on top of it.
if [ -n "${5-}" ]; then
  git ls-remote --heads "$5" release 'plugins/*' | while read -r _ ref; do
    case $ref in refs/heads/release | refs/heads/plugins/*) git fetch -q --depth 1 "$5" "+$ref:$ref" --update-head-ok ;; esac
  done
fi

# commit BRANCH TREE
commit() {
  parent=$(git rev-parse -q --verify "refs/heads/$1" || :)
  if [ -n "$parent" ]; then
    [ "$(git rev-parse "$parent^{tree}")" != "$2" ] || return 0
    case $(git log -1 --format=%s "$parent") in "$release,"*)
      echo "branches.sh: $1 has $release already, with other files: agents fetch a version once, so give it a higher one" >&2
      return 1
      ;;
    esac
  fi
  git update-ref "refs/heads/$1" "$(git commit-tree ${parent:+-p "$parent"} -m "$message" "$2")"
}

# put PATH: standard input becomes a file of the tree that is being made.
put() { git update-index --add --cacheinfo "100644,$(git hash-object -w --stdin),$1"; }

git read-tree --empty
git --work-tree="$suite" add -A --force
all=$(git write-tree)
commit release "$all"

for manifest in "$suite"/*/.claude-plugin/plugin.json; do
  at=${manifest%/.claude-plugin/plugin.json}
  name=${at##*/}
  git read-tree --empty
  git read-tree --prefix="$name/" "$all:$name"
  # Gemini CLI installs a whole repository, so its files are at the top; the program stays where it is.
  put gemini-extension.json <"$at/gemini/gemini-extension.json"
  sed "s|/\.\./hooks/|/$name/hooks/|" "$at/gemini/hooks/hooks.json" | put hooks/hooks.json
  put README.md <<END
# $name

One plugin of [springfield](https://github.com/cameronsjo/springfield), as a release made it; nothing here is changed by hand.
[$name/README.md]($name/README.md) says what it does. Claude Code, Codex, GitHub Copilot CLI, Droid and Qwen Code fetch it from here when you install it from
the marketplace \`cameronsjo/springfield\`. Gemini CLI installs this branch:

    gemini extensions install https://github.com/cameronsjo/springfield --ref plugins/$name
END
  commit "plugins/$name" "$(git write-tree)"
done
rm -f "$GIT_INDEX_FILE"
