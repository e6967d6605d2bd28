#!/bin/sh
# The main job from one end to the other, in a scratch directory with a home of its own: a suite is made, a plugin
# is switched on, and its compiled hook decides at each stop of a plan. V=1 shows the hook's raw answers.
set -eu
springfield=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/home/.claude" "$scratch/home/evergreen"
# The build cache is the only thing that the scratch home shares with yours.
GOCACHE=$(go env GOCACHE)
export GOCACHE HOME="$scratch/home"
unset CLAUDE_CONFIG_DIR XDG_CACHE_HOME XDG_CONFIG_HOME SPRINGFIELD || true
cd "$HOME/evergreen"
printf '{\n    "model": "opus",\n    "enabledPlugins": {\n        "double-shot-latte@superpowers-marketplace": true\n    }\n}\n' >"$HOME/.claude/settings.json"

say() { printf '\n%s\n' "$1"; }
call() {
    printf '\n$ springfield'
    for word; do case $word in *[!A-Za-z0-9_./@=+-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
    echo
    "$springfield" "$@" 2>&1
}
# stop tells the hook that Claude has ended its turn with these words.
stop() {
    answer=$(printf '{"hook_event_name":"Stop","session_id":"plan","cwd":"%s","last_assistant_message":"%s"}\n' "$PWD" "$1" |
        continuation-hooks/ned-flanders/hooks/springfield-hook 2>"$scratch/fault") || { cat "$scratch/fault"; exit 1; }
    if [ "$answer" ]; then does='goes on'; else does='may stop'; fi
    printf '    %-52s  -> %s\n' "$1" "$does"
    if [ "${V-}" ] && [ "$answer" ]; then printf '%s\n' "$answer"; fi
}

say 'Claude has a plan with four steps. It does one, says what comes next, and stops. You type "continue".'
say 'springfield makes a Stop hook that goes on by itself. It is compiled into a suite of plugins:'
call init --yes --owner Flanders
say 'Switching it on changes these lines of your settings and no other byte:'
call enable ned-flanders --no-activate --dry-run
"$springfield" enable ned-flanders --no-activate >/dev/null
say 'Now Claude works on the plan. This is how it ends its first turn, and what the hook decides:'
stop 'Step 1 is done. Moving to step 2.'
say 'You can always ask why:'
call why
say 'The other three steps:'
stop "Step 2 is done. Next I'll write the tests."
stop 'The tests pass. Now I will write the documentation.'
stop 'All four steps are done.'
say 'Would it have helped before? In two past sessions, "continue" was all the user had to say four times:'
call replay "$here/testdata/sessions" --strategy ned-flanders
say 'That was a scratch directory, and it is gone now. What would it have done in your own sessions? This changes nothing:'
printf '\n    bin/springfield replay\n'
say 'To enable it from your next Claude Code session on (bin/springfield undo reverts this):'
printf '\n    bin/springfield enable ned-flanders\n'
