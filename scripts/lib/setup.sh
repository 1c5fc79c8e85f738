# shellcheck shell=bash
# What a Debian machine needs to build and test Headroom, and how the scripts install it.
# Sourced by the scripts in the folder above: moves to the checkout and leaves the folder that the
# user called from in $caller_dir.
#
#   need_packages GROUP...   installs what is missing of these groups, asking apt nothing if nothing is
#   need_engine [NAME...]    puts a cache engine on the machine, without leaving a service running
#   build PRESET             configures and builds into build/PRESET
#   step TEXT                says what is being done, with the time since the script began
#   quietly WHAT COMMAND...  runs a command into build/log/WHAT.log and shows its end only if it fails
#   die TEXT                 ends the script with one line

# The one list. Every name is in Debian 12 and 13.
declare -A kPackages=(
  [build]="cmake ninja-build g++ libboost-dev libcli11-dev libcpp-httplib-dev libexpected-dev libfmt-dev libsqlite3-dev
           libssl-dev libtomlplusplus-dev nlohmann-json3-dev pkgconf zlib1g-dev"
  [test]="libgmock-dev libgtest-dev"
  [bench]="libbenchmark-dev"
  [fuzz]="clang libclang-rt-dev"
  # One version on both releases, since two versions format differently.
  [format]="clang-format-19"
)

# shellcheck disable=SC2034  # for the scripts that source this
caller_dir=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit

step() {
  printf '[%3d s] %s\n' "$SECONDS" "$*"
}

die() {
  echo "${0##*/}: $*" >&2
  exit 1
}

quietly() {
  local log=build/log/$1.log code=0
  shift
  mkdir -p build/log
  "$@" </dev/null >"$log" 2>&1 || code=$?
  if ((code != 0)); then
    tail -n 50 "$log" >&2
    echo "${0##*/}: exit $code from: $* (above is the end of $log)" >&2
  fi
  return "$code"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  else
    sudo "$@"
  fi
}

# Prints the names among "$@" that dpkg does not have installed.
missing_packages() {
  local installed name
  # shellcheck disable=SC2016  # dpkg-query fills these in
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    [[ $installed == *" installed=$name "* ]] || echo "$name"
  done
}

# Once in a script, and only when there is something to install.
apt_update() {
  [[ ${apt_updated:-} ]] && return
  command -v apt-get >/dev/null ||
    die "this machine has no apt-get; install by its own means what Debian calls: $*"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "not root, and no sudo; run as root once: apt-get install $*"
    # Ask for a password here, where it can be seen and answered.
    sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo true; } ||
      die "sudo needs a password; run once: sudo apt-get install $*"
  fi
  # Another vendor's broken repository is no reason to stop: what counts is whether the install works.
  quietly apt-update as_root apt-get -q update || step "apt-get update failed; going on regardless"
  apt_updated=1
}

apt_install() {
  apt_update "$@"
  quietly apt-install as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y \
    -o DPkg::Lock::Timeout=120 --no-install-recommends "$@" || die "apt cannot install: $*"
}

need_packages() {
  local group wanted=() missing
  for group in "$@"; do
    # shellcheck disable=SC2206  # one word per package
    wanted+=(${kPackages[$group]})
  done
  command -v dpkg-query >/dev/null ||
    die "this script sets up Debian only; install what Debian calls: ${wanted[*]}"
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  ((${#missing[@]} == 0)) && return
  step "installing ${missing[*]}"
  apt_install "${missing[@]}"
}

has_candidate() {
  [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [^\(] ]]
}

# A Debian engine package brings a service that starts at once and on every boot. Nobody asked for a
# cache on port 6379, so the service is held back while the package is installed, and disabled after.
install_engine() {
  local package=$1 policy=/usr/sbin/policy-rc.d ours=
  if [[ ! -e $policy ]] || grep -q 'Written by Headroom' "$policy"; then
    ours=1
    as_root tee "$policy" >/dev/null <<END
#!/bin/sh
# Written by Headroom while it installs $package; safe to remove.
case \$1 in $package*) exit 101 ;; esac
END
    as_root chmod 755 "$policy"
    # The file must not outlive the script, however it ends.
    trap 'as_root rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  apt_install "$package"
  if [[ $ours ]]; then
    as_root rm -f "$policy"
    trap - EXIT
  fi
  # A machine with a policy of its own may have started it.
  as_root invoke-rc.d "$package" stop >/dev/null 2>&1 || true
  as_root update-rc.d "$package" disable >/dev/null 2>&1 || true
  step "$package is installed; its system service is neither started nor enabled"
}

# Without names: any engine that Headroom can drive, Valkey where the configured suites have it.
need_engine() {
  local name
  if (($# == 0)); then
    command -v valkey-server >/dev/null || command -v redis-server >/dev/null && return
    name=redis-server
    apt_update "$name"
    has_candidate valkey-server && name=valkey-server
    set -- "$name"
  fi
  for name in "$@"; do
    command -v "$name" >/dev/null && continue
    step "installing $name"
    install_engine "$name"
  done
}

build() {
  local preset=$1 targets=("${@:2}")
  step "building $preset into build/$preset"
  quietly "configure-$preset" cmake --preset "$preset" || die "cannot configure $preset; see above"
  if [[ -t 1 ]]; then
    cmake --build --preset "$preset" --parallel "$(nproc)" ${targets[@]:+--target "${targets[@]}"} || die "cannot build $preset; see above"
  else
    quietly "build-$preset" cmake --build --preset "$preset" --parallel "$(nproc)" \
      ${targets[@]:+--target "${targets[@]}"} ||
      die "cannot build $preset; see above"
  fi
}
