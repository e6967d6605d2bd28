#!/bin/sh
# A ninth strategy and another host: their folders are put into a copy of the tree, two and
# one, and nothing else is touched. They are built as a contributor builds them; then a
# suite of the strategy is made, enabled, asked in both hosts and validated, with a home of
# its own.
#
#   sh e2e/maggie.sh TREE SCRATCH
set -eu
tree=$1 scratch=$2 copy=$2/springfield
mkdir -p "$copy" "$scratch/home/.claude" "$scratch/work"
(cd "$tree" && tar --exclude=./.git --exclude=./bin --exclude=./dist --exclude=./closings -cf - .) | (cd "$copy" && tar -xf -)
cp -R "$tree/e2e/testdata/maggie/." "$copy"

# The caches of go are all that the scratch home shares with yours.
GOCACHE=$(go env GOCACHE) GOMODCACHE=$(go env GOMODCACHE)
export GOCACHE GOMODCACHE HOME="$scratch/home"
unset CLAUDE_CONFIG_DIR XDG_CACHE_HOME XDG_CONFIG_HOME SPRINGFIELD || true
GOFLAGS=-trimpath make -s -C "$copy" build
springfield=$copy/bin/springfield
cd "$scratch/work"

"$springfield" init --yes --owner Maggie --strategy maggie --set maggie.most=5
"$springfield" enable maggie --no-activate

# decide asks the compiled hook about a stop here.
decide() {
    printf '{"hook_event_name":"Stop","session_id":"%s","cwd":"%s","last_assistant_message":"Hm."}\n' "$1" "$PWD" |
        continuation-hooks/maggie/hooks/springfield-hook
}
# expect fails where an answer does not have some words.
expect() {
    case $2 in *"$1"*) ;; *) echo "no “$1” in: $2"; exit 1 ;; esac
}
printf -- '- [x] eat\n- [ ] sleep\n' >MAGGIE.md
expect '"decision":"block"' "$(decide open)"
expect 'sleep' "$("$springfield" why)"
printf -- '- [x] eat\n- [x] sleep\n' >MAGGIE.md
test -z "$(decide ticked)"
printf -- '- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n- [ ] e\n- [ ] f\n' >MAGGIE.md
test -z "$(decide long)"
expect 'more than 5' "$("$springfield" why)"
printf '{"most": 50}\n' >"$HOME/.claude/springfield/maggie.json"
expect '"decision":"block"' "$(decide yours)"
printf '{"ceiling": 50}\n' >"$HOME/.claude/springfield/maggie.json"
decide other 2>"$scratch/said" || true
expect 'ceiling: maggie has none' "$(cat "$scratch/said")"

# The other host: its event, its log, its answer, the names in what is said and recorded.
printf -- '- [ ] sleep\n' >MAGGIE.md
printf '{"who": "you", "says": "Go."}\n{"who": "me", "says": "Hm."}\n' >"$scratch/talk.log"
printf '{"milhouse": "Rest", "talk": "t1", "log": "%s", "place": "%s"}\n' "$scratch/talk.log" "$PWD" >"$scratch/event"
answer=$(continuation-hooks/maggie/hooks/springfield-hook <"$scratch/event")
expect '{"decision":"block","reason":"[springfield] ' "$answer"
expect 'maggie kept Milhouse going' "$answer"
expect 'springfield hold to stop' "$answer"
expect '"host":"milhouse"' "$(grep -h '"session":"t1"' "$HOME"/.claude/springfield/sessions/*.jsonl)"
"$springfield" validate continuation-hooks
echo "maggie is a strategy, milhouse is a host"
