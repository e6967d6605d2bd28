#!/bin/sh
# Installs springfield for you alone:
#
#   curl -fsSL https://github.com/cameronsjo/springfield/releases/latest/download/install.sh | sh
#   wget -qO- https://github.com/cameronsjo/springfield/releases/latest/download/install.sh | sh
#
# It fetches one program and the release's checksums over https, compares them, and puts the program into
# ~/.local/bin. It asks for no password and writes no other file. `sh -s -- --help` instead of `sh` lists the options.
# Everything is in functions, which the last line calls: a script that was cut on its way does nothing.

project=https://github.com/cameronsjo/springfield

usage() {
	printf '%s\n' \
		'Installs springfield. Options:' \
		'  --dir DIR         where to put the program (default: ~/.local/bin)' \
		'  --version vX.Y.Z  which release (default: the newest)' \
		'  --from URL        a copy of a release: the address of its folder, https only'
}

fail() {
	printf 'springfield: error: %s\n' "$1" >&2
	[ -z "${2-}" ] || printf 'springfield: hint: %s\n' "$2" >&2
	exit 1
}

# read_options sets folder, where the program goes, and site, where it comes from.
read_options() {
	folder='' release='' site=''
	while [ $# -gt 0 ]; do
		case $1 in
		--help | -h) usage && exit 0 ;;
		--dir | --version | --from) [ -n "${2-}" ] || fail "$1 needs a value" '--help lists the options' ;;
		*) fail "there is no option $1" '--help lists the options' ;;
		esac
		case $1 in
		--dir) folder=$2 ;;
		--version) release=v${2#v} ;;
		--from) site=${2%/} ;;
		esac
		shift 2
	done
	if [ -z "$folder" ]; then
		[ -n "${HOME-}" ] || fail 'HOME is not set, so there is no place to install to' '--dir DIR names one'
		folder=$HOME/.local/bin
	fi
	case $folder in
	/*) ;;
	*) folder=$PWD/$folder ;;
	esac
	folder=${folder%/}
	target=$folder/springfield
	choose_site
}

choose_site() {
	protocols='=https'
	case $site,$release in
	,) site=$project/releases/latest/download ;;
	,*[!0-9A-Za-z.+-]*) fail "$release is not a version" 'a version is like v0.1.0' ;;
	,v[0-9]*.[0-9]*.[0-9]*) site=$project/releases/download/$release ;;
	,*) fail "$release is not a version" 'a version is like v0.1.0' ;;
	*,?*) fail '--from and --version cannot be combined' '--from URL is the address of one release' ;;
	https://*) ;;
	http://*@*) fail "--from takes an https address" ;;
	http://127.0.0.1:* | http://localhost:* | http://\[::1\]:*) protocols='=http,https' ;; # this machine, for tests
	*) fail "--from takes an https address" ;;
	esac
}

# choose_asset finds the program for this machine.
choose_asset() {
	system=$(uname -s) machine=$(uname -m)
	case $system in
	Linux) system=linux ;;
	Darwin) system=darwin ;;
	MINGW* | MSYS* | CYGWIN*) fail 'this script is for Linux and macOS' "for Windows, type in PowerShell: irm $project/releases/latest/download/install.ps1 | iex" ;;
	*) fail "there is no release for $system" "with Go: go install github.com/cameronsjo/springfield/cmd/springfield@latest" ;;
	esac
	case $machine in
	x86_64 | amd64) machine=amd64 ;;
	aarch64 | arm64) machine=arm64 ;;
	*) fail "there is no release for $system on $machine" "with Go: go install github.com/cameronsjo/springfield/cmd/springfield@latest" ;;
	esac
	# A shell that Rosetta translates says x86_64 on a Mac with an Apple processor.
	if [ "$system" = darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null)" = 1 ]; then machine=arm64; fi
	asset=springfield-$system-$machine
}

choose_tools() {
	client='' summer=''
	for tool in curl wget; do
		if [ -z "$client" ] && command -v "$tool" >/dev/null; then client=$tool; fi
	done
	for tool in sha256sum shasum openssl; do
		if [ -z "$summer" ] && command -v "$tool" >/dev/null; then summer=$tool; fi
	done
	[ -n "$client" ] || fail 'neither curl nor wget is here' 'install one of them'
	[ -n "$summer" ] || fail 'nothing here computes SHA-256, so the download could not be verified' 'install sha256sum, shasum or openssl'
	patience='' # the wget of some small systems has no -T
	if [ "$client" = wget ] && wget --help 2>&1 | grep -q -e '-T'; then patience=-T30; fi
}

digest() {
	case $summer in
	sha256sum) sum=$(sha256sum <"$1") ;;
	shasum) sum=$(shasum -a 256 <"$1") ;;
	openssl) sum=$(openssl dgst -sha256 -r <"$1") ;;
	esac
	printf '%s' "${sum%% *}"
}

# fetch NAME BLOCKS: a file of the release, of at most so many blocks (512 or 1024 bytes, as the shell counts).
# The shell writes the file, because curl from a snap may not write to hidden directories.
fetch() {
	if [ "$client" = curl ]; then
		(
			ulimit -f "$2" 2>/dev/null
			exec curl --fail --silent --show-error --location --proto "$protocols" --proto-redir "$protocols" --tlsv1.2 --no-insecure \
				--connect-timeout 20 --speed-limit 1000 --speed-time 30 --max-time 1800 "$site/$1"
		) >"$work/$1" && return
	else
		(
			ulimit -f "$2" 2>/dev/null
			exec wget -S -t 1 ${patience:+"$patience"} -O - "$site/$1"
		) >"$work/$1" 2>"$work/$1.log" && check_log "$1.log" && return
		tail -n 3 "$work/$1.log" | tr -d '\001-\011\013-\037\177' >&2 # what a server says has no colours
	fi
	fail "cannot fetch $site/$1" "the releases: $project/releases"
}

# check_log refuses what curl refuses by itself: wget follows a redirect to http, and some wgets verify no certificate,
# or only warn if the user's .wgetrc says so.
check_log() {
	[ "$protocols" = '=https' ] || return 0
	if grep -qi '^ *location:[[:space:]]*http:' "$work/$1"; then fail "$site leads to an address without https"; fi
	if grep -q -e 'certificate validation not implemented' -e '^WARNING: .*certificate' "$work/$1"; then fail 'this wget verifies no certificate' 'install curl'; fi
}

# find_digest sets wanted, what SHA256SUMS says of the program. A line without its end may be cut, and read leaves it out.
find_digest() {
	wanted=''
	while read -r sum file rest; do
		[ "$file$rest" = "$asset" ] || continue
		[ -z "$wanted" ] || fail "$site/SHA256SUMS has two lines for $asset"
		wanted=$sum
	done <"$work/SHA256SUMS"
	case $wanted in
	'') fail "$site/SHA256SUMS has no line for $asset" 'it may have been cut on its way: try again' ;;
	*[!0-9a-f]*) wanted='' ;;
	esac
	[ ${#wanted} -eq 64 ] || fail "$site/SHA256SUMS has no SHA-256 for $asset"
}

# open_work makes the folder, and a directory in it for the download, so that the last step is a rename.
open_work() {
	[ ! -d "$target" ] || fail "$target is a directory" 'remove it, or choose another place: --dir DIR'
	first=$folder
	until [ -d "$first" ]; do
		made=$first
		first=$(dirname "$first")
	done
	mkdir -p "$folder" || fail "cannot make $folder" 'choose a directory that you may write to: --dir DIR'
	work=$(mktemp -d "$folder/.springfield.XXXXXX") || fail "cannot write to $folder" 'choose a directory that you may write to: --dir DIR'
}

# clean_up removes what a run leaves, and after a failure also the directories that it made.
clean_up() {
	trap '' HUP INT PIPE TERM
	[ -z "$work" ] || rm -rf "$work"
	[ -n "$made" ] || return 0
	level=$folder
	while rmdir "$level" 2>/dev/null && [ "$level" != "$made" ]; do level=$(dirname "$level"); done
}

install() {
	open_work
	fetch SHA256SUMS 512
	find_digest
	if [ -f "$target" ] && [ -x "$target" ] && [ "$(digest "$target")" = "$wanted" ]; then
		printf 'This springfield is already installed: %s\n' "$target"
		return
	fi
	printf 'Fetching %s/%s\n' "$site" "$asset"
	fetch "$asset" 524288
	[ "$(digest "$work/$asset")" = "$wanted" ] || fail "$site/$asset does not have the SHA-256 that SHA256SUMS says; nothing was installed" 'try again: it may have been cut, or a release may just have been made'
	chmod 755 "$work/$asset"
	said=$("$work/$asset" --version) || fail "$asset was fetched and verified, but does not start from $folder" 'if programs may not be started from there, choose another place: --dir DIR'
	mv -f "$work/$asset" "$target" || fail "cannot write $target" 'choose a directory that you may write to: --dir DIR'
	printf '%s is installed: %s\n' "$said" "$target"
}

# advise says what to add to PATH, in the words of the user's shell.
advise() {
	case ":$PATH:" in
	*":$folder:"* | *":$folder/:"*) return ;;
	esac
	short='' rest=$folder line='' shell=${SHELL-}
	case ${HOME:+$folder} in
	"${HOME-}"/*) short=\$HOME rest=${folder#"$HOME"} ;;
	esac
	profile=.bashrc
	[ "$system" != darwin ] || profile=.bash_profile # terminals of macOS start login shells
	case ${shell##*/},$rest in
	*[!A-Za-z0-9,/._\ @+-]*) ;; # a shell might read more into other characters
	bash,*) line="echo 'export PATH=\"$short$rest:\$PATH\"' >>~/$profile" ;;
	zsh,*) line="echo 'export PATH=\"$short$rest:\$PATH\"' >>\"\${ZDOTDIR:-\$HOME}/.zshrc\"" ;;
	fish,*) line="fish_add_path \"$short$rest\"" ;;
	nu,*) line="\"\\nuse std/util 'path add'\\npath add '${short:+~}$rest'\\n\" | save --append \$nu.config-path" ;;
	esac
	if [ -z "$line" ]; then
		printf '\nAdd %s to your PATH.\n' "$folder"
	else
		printf '\n%s is not on your PATH. Type this, then open a new terminal:\n\n    %s\n' "$folder" "$line"
	fi
}

# name_other says that another springfield is found first.
name_other() {
	other=$(command -v springfield) || return 0
	[ "$other" != "$target" ] || return 0
	if [ -f "$other" ] && [ "$(digest "$other")" = "$wanted" ]; then
		printf '\nThe same springfield is also at %s.\n' "$other"
	else
		printf '\nYour PATH leads to another springfield: %s. Remove it, or put %s before it.\n' "$other" "$folder"
	fi
}

main() {
	set -u
	LC_ALL=C
	export LC_ALL
	read_options "$@"
	choose_asset
	choose_tools
	work='' made=''
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 141' PIPE
	trap 'exit 143' TERM
	install
	made=''
	advise
	name_other
	printf '\nTo begin, type: springfield\n'
}

{ main "$@" </dev/null; }
