#!/usr/bin/env bash
# Installs Chromium for the tests of the inspector's page, where that is permitted.
# Without it those tests are skipped and say so; nothing else needs a browser.
set -u
command -v chromedriver >/dev/null && { command -v chromium || command -v chromium-browser; } >/dev/null && exit 0
# Only Debian's own packages work headless as root; Ubuntu's are snaps.
grep -q '^ID=debian' /etc/os-release 2>/dev/null || exit 0
apt="apt-get"
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2>/dev/null || exit 0
  apt="sudo -n apt-get"
fi
echo 'setup: installing chromium and chromium-driver (tests of the inspector page)'
$apt update -qq && DEBIAN_FRONTEND=noninteractive $apt install -y -qq chromium chromium-driver >/dev/null \
  || echo 'setup: chromium could not be installed; the tests of the page will be skipped'
exit 0
