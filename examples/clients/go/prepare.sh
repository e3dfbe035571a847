#!/usr/bin/env bash
# Makes the client of this example: stubs generated from proto/, and a program built with them.
# Prints the path of the program. Stubs are made anew only when proto/ or a plugin has changed.
set -euo pipefail

example="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
project="$(cd "$example/../../.." && pwd)"
made="$project/dist/go-client"
buf="$project/node_modules/.bin/buf"

fail() {
  echo "$*" >&2
  exit 1
}

command -v go >/dev/null || fail "This example needs Go 1.26 or newer: https://go.dev/dl"
[ -x "$buf" ] || fail "This example generates its stubs with buf: run npm install in $project first."

mkdir -p "$made"
# Two preparations at once would delete each other's files; where flock is missing, nobody does that.
exec 9>"$made.lock"
if command -v flock >/dev/null; then flock 9; fi

wanted="$(cat "$example"/{prepare.sh,buf.gen.yaml,go.mod} "$project"/proto/toolgate/*/*/*.proto | cksum)"
if [ "$(cat "$made/stamp" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$made"
  mkdir -p "$made/stubs" "$made/plugins"
  printf 'module toolgate.example/stubs\n\ngo 1.26.0\n' >"$made/stubs/go.mod"
  echo "Building protoc-gen-go and protoc-gen-go-grpc" >&2
  go -C "$example" build -o "$made/plugins/" tool
  echo "Generating stubs from proto/" >&2
  PATH="$made/plugins:$PATH" "$buf" generate "$project/proto" --template "$example/buf.gen.yaml" -o "$made/stubs" --path "$project/proto/toolgate"
  echo "$wanted" >"$made/stamp"
fi
go -C "$example" build -o "$made/client" .
echo "$made/client"
