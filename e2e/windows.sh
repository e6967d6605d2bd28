#!/bin/sh
# The main job of springfield on Windows, from init to disable, with a program that carries compiled hooks:
#
#   sh e2e/windows.sh springfield.exe         on Windows itself, in the shell that git brings
#   sh e2e/windows.sh springfield.exe wine    elsewhere, with Wine 10 or later
set -eu
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
wine=${2-}
scratch=$(mktemp -d)
# Wine writes into its prefix for some seconds after the last program has ended.
trap 'for _ in 1 2 3 4 5 6 7 8 9 10; do rm -rf "$scratch" 2>/dev/null && break; sleep 1; done' EXIT
fail() { echo "e2e/windows.sh: $*" >&2; exit 1; }

unset CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME SPRINGFIELD 2>/dev/null || true
mkdir "$scratch/evergreen terrace"
cd "$scratch/evergreen terrace"
if [ -n "$wine" ]; then
  export WINEPREFIX="$scratch/prefix" WINEDEBUG=-all
  "$wine" wineboot -i >/dev/null 2>&1
  home=$WINEPREFIX/drive_c/users/$(id -un)
  here=$("$wine" cmd /c cd 2>/dev/null | tr -d '\r' | tail -1)
else
  home=$scratch/home
  mkdir "$home"
  USERPROFILE=$(cygpath -w "$home")
  export USERPROFILE
  here=$(cygpath -w "$PWD")
fi
run() { if [ -n "$wine" ]; then "$wine" "$@" 2>>"$scratch/talk"; else "$@" 2>>"$scratch/talk"; fi; }
springfield() { run "$program" "$@" >"$scratch/said" || { cat "$scratch/said" "$scratch/talk" >&2; fail "springfield $* ends with an error"; }; }
escaped() { printf '%s' "$1" | sed 's/\\/\\\\/g'; }

mkdir -p "$home/.claude"
printf '{\r\n\t"model": "opus",\r\n "env": {}  }\r\n' >"$home/.claude/settings.json"
cp "$home/.claude/settings.json" "$scratch/before"

springfield init --yes --owner "Ned Flanders"
springfield enable ned-flanders --no-activate
grep -q '"ned-flanders@continuation-hooks": true' "$home/.claude/settings.json" || fail "enable has not switched the plugin on"
hook=continuation-hooks/ned-flanders/hooks/springfield-hook.exe
stop() {
  printf '{"hook_event_name": "Stop", "session_id": "742", "cwd": "%s", "stop_hook_active": false, "last_assistant_message": "%s"}' "$(escaped "$here")" "$1" |
    run "$hook" | tr -d '\r'
}
went=$(stop "Step 1 is done. Moving to step 2.")
case $went in *'"decision":"block"'*) ;; *) fail "with work left the hook answered: $went" ;; esac
asked=$(stop "Both recipes are written. Should I publish the lasagne or the donut first?")
[ -z "$asked" ] || fail "after a question the hook answered: $asked"
springfield why
grep -q lasagne "$scratch/said" || fail "why does not tell of the last stop: $(cat "$scratch/said")"
springfield validate continuation-hooks
springfield disable ned-flanders
cmp "$scratch/before" "$home/.claude/settings.json" || fail "disable left other settings"
springfield disable --all --purge
[ ! -e "$home/.claude/springfield" ] || fail "something is left in $home/.claude/springfield"
echo "springfield does its job on Windows${wine:+, as Wine has it}"
