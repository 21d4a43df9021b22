#!/usr/bin/env bash
# Prints a command that starts Chromium: one on PATH, or Debian's own, unpacked without root into the cache together with
# the libraries and the font that this machine lacks. The reason goes to standard error when there is none.
#
#   test/browser/chromium.sh
set -euo pipefail

for candidate in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome google-chrome-stable; do
  # A stub that only names a package manager's own format has no version.
  if "$candidate" --version >/dev/null 2>&1; then
    command -v "$candidate"
    exit 0
  fi
done

for tool in apt-get dpkg awk; do
  if ! command -v "$tool" >/dev/null 2>&1; then
    echo "no Chromium on PATH, and no $tool to unpack Debian's: install Chromium, or name one in CHROMIUM" >&2
    exit 1
  fi
done

packages='chromium fonts-dejavu-core'
release="$(. /etc/os-release && echo "${ID:-} ${VERSION_ID:-} $(uname -m)")"
key="$(printf '%s %s' "$packages $release" "$(cat "${BASH_SOURCE[0]}")" | sha256sum | cut -c1-12)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/cdk8s-tpu-ray"
root="$cache/chromium-$key"
if [ -e "$root/.ready" ]; then
  echo "$root/chromium"
  exit 0
fi

mkdir -p "$cache"
work="$(mktemp -d)"
making="$root.$$"
trap 'rm -rf "$work" "$making"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Lists and archives of our own: the system's need root, and may be empty.
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/packages" "$making"
apt() {
  apt-get -o Dir::State::lists="$work/lists" -o Dir::Cache="$work" -o Dir::Cache::archives="$work/archives" \
    -o Debug::NoLocking=1 -o APT::Sandbox::User= -qq "$@"
}
echo "unpacking Chromium into $root" >&2
apt update >&2
# shellcheck disable=SC2086 # two names
missing="$(apt install --simulate --no-install-recommends $packages | awk '/^Inst / { print $2 }')"
if [ -z "$missing" ]; then
  echo "apt-get has nothing to install, and yet no Chromium starts: name one in CHROMIUM" >&2
  exit 1
fi
# shellcheck disable=SC2086 # one name a word
(cd "$work/packages" && apt download $missing >&2)
for archive in "$work"/packages/*.deb; do dpkg -x "$archive" "$making"; done

cat >"$making/fonts.conf" <<FONTS
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>$root/usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>$root/font-cache</cachedir>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
</fontconfig>
FONTS
# Libraries lie in several folders, some in one of their package's own.
libraries="$(cd "$making" && find . -name '*.so*' ! -path './usr/lib/chromium/*' | sed -e "s#^\.#$root#" -e 's#/[^/]*$##' | sort -u | tr '\n' ':')"
cat >"$making/chromium" <<START
#!/bin/sh
export LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:-}"
export FONTCONFIG_FILE="$root/fonts.conf"
exec "$root/usr/lib/chromium/chromium" "\$@"
START
chmod +x "$making/chromium"
touch "$making/.ready"
mv -T "$making" "$root" 2>/dev/null || [ -e "$root/.ready" ]
if ! "$root/chromium" --version >/dev/null 2>"$work/why"; then
  cat "$work/why" >&2
  rm -rf "$root"
  exit 1
fi
echo "$root/chromium"
