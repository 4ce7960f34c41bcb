#!/usr/bin/env bash
# Runs Scripts/setup and Scripts/frc as if on other systems: `uname`, `swift`, `xcrun` and `brew` are
# replaced by small scripts, and no other command can be found unless a test names it.
#
#   Tests/Scripts/test_setup.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# Makes a command that prints a text and ends with a status.
command_that() { # NAME STATUS TEXT
  printf '#!/bin/sh\nprintf "%%s\\n" "%s"\nexit %s\n' "$3" "$2" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}

# Begins a test on a system.
system() { # NAME
  rm -rf "${folder:?}/bin" "$folder/sdk" "$folder/brew"
  mkdir -p "$folder/bin" "$folder/sdk/usr/include" "$folder/brew/include"
  local tool
  for tool in bash dirname readlink mktemp rm mkdir touch find head tee cat mv id chmod; do
    ln -s "$(command -v "$tool")" "$folder/bin/$tool"
  done
  command_that uname 0 "$1"
  command_that swift 0 ""
  command_that xcrun 0 "$folder/sdk"
}

# Runs setup, and prints its status, its flags and its messages on one line each.
setup_here() {
  local status=0
  # shellcheck disable=SC2016 # The inner bash expands it.
  env -i PATH="$folder/bin" HOME="$folder" bash -c '
    source "$1/Scripts/setup"; setup; printf "flags:%s\n" "${program_flags[*]+${program_flags[*]}}"
  ' bash "$root" >"$folder/output" 2>&1 </dev/null || status=$?
  sed "s|$folder/||g" "$folder/output"
  echo "status $status"
}

check() { # WHAT WANTED FOUND
  if [ "$2" = "$3" ]; then
    echo "ok      $1"
  else
    printf 'FAILED  %s\nwanted:\n%s\nfound:\n%s\n' "$1" "$2" "$3"
    failed=1
  fi
}

system Darwin
touch "$folder/sdk/usr/include/histedit.h" "$folder/sdk/usr/include/sqlite3.h"
check "a Mac with an SDK needs nothing else, and no apt" "flags:
status 0" "$(setup_here)"

system Darwin
touch "$folder/sdk/usr/include/sqlite3.h" "$folder/brew/include/histedit.h"
command_that brew 0 "$folder/brew"
check "what the SDK lacks comes from Homebrew" "flags:-Xcc -Ibrew/include -Xlinker -Lbrew/lib
status 0" "$(setup_here)"

system Darwin
command_that brew 1 ""
check "what is nowhere is named, with the command that installs it" \
  "the SDK at sdk lacks the headers of: libedit sqlite
install them with Homebrew (https://brew.sh) and start again:
  brew install libedit sqlite
status 1" "$(setup_here)"

system Darwin
check "a Mac without Homebrew gets the same answer" \
  "the SDK at sdk lacks the headers of: libedit sqlite
install them with Homebrew (https://brew.sh) and start again:
  brew install libedit sqlite
status 1" "$(setup_here)"

system Darwin
command_that xcrun 1 ""
check "a Mac without Xcode is told so" \
  "frc needs Xcode or its command line tools; install them with:
  xcode-select --install
status 1" "$(setup_here)"

system Darwin
rm "$folder/bin/swift"
check "a Mac without Swift gets the page for Macs" \
  "frc needs a Swift toolchain, 6.2 or later: https://www.swift.org/install/macos/
status 1" "$(setup_here)"

system Linux
rm "$folder/bin/swift"
check "Linux without Swift gets the page for Linux" \
  "frc needs a Swift toolchain, 6.2 or later: https://www.swift.org/install/linux/
status 1" "$(setup_here)"

# Builds with a 'swift' that ends as given, and prints the status and the builds that were started.
build_here() { # END_OF_FIRST END_OF_SECOND
  rm -f "$folder/builds"
  cat >"$folder/bin/swift" <<SWIFT
#!/bin/bash
echo "\$*" >>"$folder/builds"
if [ "\$(wc -l <"$folder/builds")" -eq 1 ]; then $1; else $2; fi
SWIFT
  local status=0
  # shellcheck disable=SC2016 # The inner bash expands it.
  env -i PATH="$folder/bin" HOME="$folder" bash -c '
    source "$1/Scripts/setup"; build_swift --product frc
  ' bash "$root" >"$folder/output" 2>/dev/null </dev/null || status=$?
  echo "status $status after $(sed "s/^/'swift /; s/$/'/" "$folder/builds" | paste -sd ' ')"
}

system Linux
ln -s "$(command -v wc)" "$folder/bin/wc"
once="'swift build --product frc'"
# shellcheck disable=SC2016 # The command itself expands it.
crash='kill -SEGV $$'
check "a build that succeeds runs once" "status 0 after $once" "$(build_here "exit 0" "exit 0")"
check "a build that fails runs once" "status 1 after $once" "$(build_here "exit 1" "exit 0")"
check "a crash of SwiftPM starts the build again" "status 0 after $once $once" \
  "$(build_here "$crash" "exit 0")"
check "the second build fails as it ends" "status 1 after $once $once" \
  "$(build_here "$crash" "exit 1")"
check "a second crash fails" "status 139 after $once $once" "$(build_here "$crash" "$crash")"

# The whole of Scripts/frc, in a copy of the project without sources, with a build that only makes
# the program.
system Darwin
touch "$folder/sdk/usr/include/histedit.h" "$folder/sdk/usr/include/sqlite3.h"
mkdir -p "$folder/copy/Scripts" "$folder/copy/Sources"
cp "$root/Scripts/frc" "$root/Scripts/setup" "$folder/copy/Scripts"
touch "$folder/copy/Package.swift"
cat >"$folder/bin/swift" <<'BUILD'
#!/bin/sh
folder=debug
while [ $# -gt 0 ]; do
  case $1 in
    --package-path) build=${build:-$2/.build} ;;
    --scratch-path) build=$2 ;;
    -c) folder=$2 ;;
  esac
  shift
done
mkdir -p "$build/$folder"
printf '#!/bin/sh\necho "frc of '"$folder"' $*"\n' >"$build/$folder/frc"
chmod +x "$build/$folder/frc"
echo "[1/2] Compiling GRDB Row.swift"
BUILD
run_copy() { env -i PATH="$folder/bin" HOME="$folder" "$folder/copy/Scripts/frc" "$@" 2>&1; }
check "Scripts/frc builds on a Mac, and then runs the program" \
  "building frc: the first build takes a minute or two
frc is built without optimisation; Scripts/frc --release makes a faster program
frc of debug -e print 1" "$(run_copy -e "print 1")"
check "it does not build again" "frc of debug learn" "$(run_copy learn)"
check "--is-built asks for a release build" "status 1" "$(run_copy --is-built || echo "status $?")"
check "--release makes one" \
  "building frc: a release build takes some minutes
frc of release -e print 1" "$(run_copy --release -e "print 1")"
check "--is-built says so" "" "$(run_copy --is-built)"
check "it is preferred" "frc of release learn" "$(run_copy learn)"
sleep 0.01
touch "$folder/copy/Package.swift"
check "a change is built as a first build is" \
  "building frc: its sources have changed
frc is built without optimisation; Scripts/frc --release makes a faster program
frc of debug learn" "$(run_copy learn)"

exit "$failed"
