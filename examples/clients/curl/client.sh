#!/usr/bin/env bash
# Sends a message to an agent, answers what it asks permission for, and prints its answer.
#
# Nothing but curl, which speaks Connect's JSON, and jq, which reads and writes it. What happens
# meanwhile is shown on standard error; the answer alone goes to standard output.
set -euo pipefail

here="$(dirname "${BASH_SOURCE[0]}")"
source "$here/options.sh"
source "$here/connect.sh"
source "$here/permissions.sh"

exit_failed=1
exit_interrupted=130
# A gateway that restarts is back well within this time.
patience_seconds=60

main() {
  read_options "$@"
  open_connection "$address" "$token"
  unary CreateSession "$(json --arg agent "$agent" -n '{agentName: $agent}')" || fail
  session_id="$(json -r .session.sessionId <<<"$response")"
  say "session   $session_id with agent $agent"
  trap interrupt INT
  # A new session has no other message, so any id is new in it.
  follow_reply "$(json --arg id "$session_id" -s '{sessionId: $id, content: ., requestId: "1"}' <<<"$content")"
}

# Sends the message and handles every event of its reply, each exactly once and in order, also when
# the connection breaks on the way. The reply runs in the gateway and does not notice who listens.
# The message carries a request id, so sending it again starts nothing twice.
follow_reply() {
  sequence="" reply_id="" said=""
  local pause=0.2 connected_at=$SECONDS
  while true; do
    if [ -z "$sequence" ]; then
      open_stream SendMessage "$1"
    else
      open_stream WatchSession "$(json -n --arg id "$session_id" --arg after "$sequence" \
        '{sessionId: $id, afterSequence: $after}')"
    fi
    while read_message; do
      pause=0.2 connected_at=$SECONDS
      handle "$response"
    done
    close_stream
    if ! is_lost || ((SECONDS - connected_at > patience_seconds)); then fail; fi
    sleep "$pause"
    if [ "$pause" = 0.2 ]; then pause=1; else pause=3; fi
  done
}

# Handles one message of the stream: an event, or a sign of life.
handle() {
  local fields
  mapfile -t fields < <(json -r '.event // empty | .sequence, .replyId // "", kind, delta, line' <<<"$1")
  [ "${#fields[@]}" -gt 0 ] || return 0
  sequence="${fields[0]}"
  reply_id="${reply_id:-${fields[1]}}"
  [ "${fields[1]}" = "$reply_id" ] || return 0
  # What the model said since it was last asked, as JSON strings: the answer, once the reply has ended.
  said+="${fields[3]}"
  if [ -n "${fields[4]}" ]; then say "${fields[4]}"; fi
  case "${fields[2]}" in
    modelCallStart) said="" ;;
    textBlockEnd) say "agent     $(json -rs 'add | one_line' <<<"$said")" ;;
    confirmationRequired) answer_calls "$1" ;;
    replyEnd) end_with "$1" ;;
  esac
}

end_with() {
  local problem
  problem="$(json -r '.event.replyEnd.reply | select(.stopReason != "STOP_REASON_COMPLETED")
    | "The reply ended with \(.stopReason): \(.error // "" | one_line)"' <<<"$1")"
  if [ -n "$problem" ]; then
    say "$problem"
    exit "$exit_failed"
  fi
  json -rs 'add // "" | trim | visible' <<<"$said"
  exit 0
}

interrupt() {
  trap - INT
  unary Interrupt "$(json -n --arg id "$session_id" '{sessionId: $id, reason: "interrupted by the user"}')" || fail
  exit "$exit_interrupted"
}

# Ends with what the gateway answered last.
fail() {
  if [ -z "$response" ]; then
    say "No answer from a gateway at $address."
  else
    say "$(json -r '"The gateway answered \(.code): \(.message // "" | one_line)"' <<<"$response")"
  fi
  exit "$exit_failed"
}

# jq with the definitions of events.jq.
json() {
  jq -c -L "$here" "${@:1:$#-1}" "include \"events\"; ${*: -1}"
}

say() {
  printf '%s\n' "$1" >&2
}

main "$@"
