#!/bin/sh
# The main job on built-in defaults, in a scratch directory with a home of its
# own: a suite is made, a plugin enabled, and the compiled hook decides twice.
set -eu
springfield=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/home/.claude/projects/demo" "$scratch/work"
# The build cache is the only thing that the scratch home shares with yours.
GOCACHE=$(go env GOCACHE)
export GOCACHE HOME="$scratch/home"
unset CLAUDE_CONFIG_DIR XDG_CACHE_HOME XDG_CONFIG_HOME SPRINGFIELD || true
cd "$scratch/work"

printf '{\n    "model": "opus",\n    "enabledPlugins": {\n        "double-shot-latte@superpowers-marketplace": true\n    }\n}\n' >"$HOME/.claude/settings.json"

# show runs a command and prints what it says, with short paths; a failure ends the demo.
show() {
    "$@" >"$scratch/said" 2>&1 || { cat "$scratch/said"; exit 1; }
    sed "s|$scratch|~|g" "$scratch/said"
}
call() {
    printf '\n$ springfield %s\n' "$*"
    show "$springfield" "$@"
}

call init --yes --owner Flanders --no-git
call enable ned-flanders --no-activate --dry-run
call enable ned-flanders --no-activate

# Two sessions as Claude Code writes them: one in the middle of a plan, one at its end.
decide() {
    log=$HOME/.claude/projects/demo/$1.jsonl
    printf '{"type":"user","message":{"role":"user","content":"execute the plan"}}\n' >"$log"
    printf '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]}}\n' "$2" >>"$log"
    echo
    echo "Claude says: $2"
    printf '{"hook_event_name":"Stop","session_id":"%s","transcript_path":"%s","last_assistant_message":"%s"}\n' "$1" "$log" "$2" |
        show continuation-hooks/ned-flanders/hooks/springfield-hook
}
decide mid-plan 'Task 1 complete. Moving to Task 2.'
decide finished 'All three tasks are done.'

call log
call disable ned-flanders
