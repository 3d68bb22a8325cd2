#!/bin/sh
# Installs a release of confighash, after it has checked the archive's SHA-256:
#
#   curl -fsSL https://raw.githubusercontent.com/confighash/confighash/main/packaging/install.sh | sh
#
# These variables change what it does:
#
#   CONFIGHASH_VERSION    the release, such as v0.1.0; empty: the latest
#   CONFIGHASH_DIR        the folder to install into; empty: ~/.local/bin
#   CONFIGHASH_SHA256     what the archive must have; empty: what the release's checksums.txt says
#   CONFIGHASH_RELEASES   where the releases are, if you mirror them
#
# The GitHub Action runs it too. There, RUNNER_OS, RUNNER_ARCH, RUNNER_TEMP and
# GITHUB_PATH are the runner's.
set -eu

# The braces make sh read all of it before it runs any, as a download may break off.
{

fail() {
	echo "${GITHUB_PATH:+::error::}$*" >&2
	exit 1
}

command -v curl >/dev/null || fail "curl is not installed"
releases=${CONFIGHASH_RELEASES:-https://github.com/confighash/confighash/releases/download}
version=${CONFIGHASH_VERSION:-}
if [ -z "$version" ] && [ -z "${GITHUB_PATH:-}" ]; then
	# The page of the latest release is a redirect to that of its tag.
	page=$(curl --fail --silent --show-error --output /dev/null --write-out '%{redirect_url}' "${releases%/download}/latest") ||
		fail "cannot find the latest release; name one: CONFIGHASH_VERSION=v0.1.0"
	version=${page##*/}
fi
case $version in
*[!0-9A-Za-z.+-]*) fail "version: '$version' is not a version; one looks like v0.1.0" ;;
v[0-9]*.*.*) ;;
*) fail "version: '$version' is not a version; one looks like v0.1.0" ;;
esac

executable=confighash
extension=tar.gz
system=${RUNNER_OS:-$(uname -s)}
case $system in
Linux) os=linux ;;
macOS | Darwin) os=darwin ;;
Windows | MINGW* | MSYS*) os=windows executable=confighash.exe extension=zip ;;
*) fail "confighash has no release for $system, only for Linux, macOS and Windows" ;;
esac
processor=${RUNNER_ARCH:-$(uname -m)}
case $processor in
X64 | x86_64 | amd64) arch=amd64 ;;
ARM64 | aarch64 | arm64) arch=arm64 ;;
*) fail "confighash has no release for $processor, only for amd64 and arm64" ;;
esac
archive=confighash_${version#v}_${os}_$arch.$extension

# Windows' curl knows no path such as /tmp, so it writes into the current folder.
download() {
	(cd "$work" && curl --fail --silent --show-error --location --proto-redir =https --retry 3 --output "$1" "$releases/$version/$1") ||
		fail "cannot download $releases/$version/$1"
}

sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1"
	else
		shasum -a 256 <"$1"
	fi | cut -d ' ' -f 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
download "$archive"
wanted=${CONFIGHASH_SHA256:-}
if [ -z "$wanted" ]; then
	download checksums.txt
	wanted=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/checksums.txt")
	[ -n "$wanted" ] || fail "checksums.txt of $version does not list $archive"
fi
got=$(sum "$work/$archive")
[ "$got" = "$wanted" ] || fail "$archive has the SHA-256 $got, and should have $wanted; nothing is installed"

if [ "$extension" = zip ]; then
	unzip -o -q "$work/$archive" "$executable" -d "$work"
else
	tar -xzf "$work/$archive" -C "$work" "$executable"
fi
if [ -n "${CONFIGHASH_DIR:-}" ]; then
	dir=$CONFIGHASH_DIR
elif [ -n "${RUNNER_TEMP:-}" ]; then
	dir=$RUNNER_TEMP/confighash-$version
else
	dir=$HOME/.local/bin
fi
mkdir -p "$dir"
# In one step, so that a confighash that runs meanwhile is whole.
mv "$work/$executable" "$dir/$executable.new"
mv -f "$dir/$executable.new" "$dir/$executable"
"$dir/$executable" --version
if [ -n "${GITHUB_PATH:-}" ]; then
	echo "$dir" >>"$GITHUB_PATH"
	exit
fi
echo "installed $dir/$executable"
case :$PATH: in
*":$dir:"*) ;;
*) echo "$dir is not on your PATH; add it to run confighash by its name" ;;
esac

}
