#!/usr/bin/env bash
# Makes the client of this example with Maven: stubs generated from proto/, and classes compiled with them.
# Prints the path of a file with the arguments for java. Once it is made, it is made anew only when
# the example or proto/ has changed.
set -euo pipefail

example="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
project="$(cd "$example/../../.." && pwd)"
made="$project/dist/java-client"

for tool in javac mvn; do
  if ! command -v "$tool" >/dev/null; then
    echo "This example needs a JDK 17 and Maven 3.8, or newer: there is no $tool." >&2
    exit 1
  fi
done

mkdir -p "$made"
# Two preparations at once would delete each other's files; where flock is missing, nobody does that.
exec 9>"$made.lock"
if command -v flock >/dev/null; then flock 9; fi

wanted="$({
  javac -version
  cat "$example"/{prepare.sh,pom.xml} "$example"/src/main/java/toolgate/example/*.java "$project"/proto/toolgate/*/*/*.proto
} | cksum)"
if [ "$(cat "$made/stamp" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$made"
  echo "Generating stubs from proto/ and compiling" >&2
  mvn --quiet --batch-mode --file "$example/pom.xml" compile >&2
  # A client is done before the second compiler and a parallel collector would pay.
  flags="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
  echo "$flags -cp \"$made/classes:$made/lib/*\" toolgate.example.Client" >"$made/java.args"
  echo "$wanted" >"$made/stamp"
fi
echo "$made/java.args"
