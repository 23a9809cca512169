#!/usr/bin/env bash
# Installs the Debian packages that the tests use, those that are missing only; the tests that need
# a package which cannot be had skip themselves and say so.
set -euo pipefail

missing=()
command -v chromium >/dev/null || missing+=(chromium fonts-liberation)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v pgbouncer >/dev/null || [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
# Rebuilds the program of Solana, to compare it with the one that is committed.
command -v clang-19 >/dev/null || missing+=(clang-19)
# A PKCS#11 token in software, which holds the keys of signer tests.
compgen -G "/usr/lib/*/softhsm/libsofthsm2.so" >/dev/null || compgen -G "/usr/lib/softhsm/libsofthsm2.so" >/dev/null || missing+=(softhsm2)
[ ${#missing[@]} -eq 0 ] && exit 0

cannot() {
    echo "The tests that need ${missing[*]} will be skipped: $1" >&2
    exit 0
}

command -v apt-get >/dev/null || cannot "there is no apt-get here; install them by hand."
root=()
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || cannot "not root; run: sudo apt-get install ${missing[*]}"
    root=(sudo -n)
fi
echo "Installing ${missing[*]} with apt-get ..."
"${root[@]}" apt-get update -qq || cannot "apt-get update failed."
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null \
    || cannot "apt-get install failed."
