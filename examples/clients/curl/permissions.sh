# Answers to calls that wait for a permission.

# Answers the calls, or leaves them to somebody else: the reply waits as long as it must.
answer_calls() {
  local call calls
  mapfile -t calls < <(json '.event.confirmationRequired.calls[] | select(.kind == "PENDING_KIND_PERMISSION")' <<<"$1")
  for call in "${calls[@]}"; do
    answer_call "$call"
  done
}

answer_call() {
  local answer=""
  say "$(json -r '"asks      \(.toolName) \(.argumentsJson | visible)"' <<<"$1")"
  if [ -n "$always_allow" ]; then
    answer="$(json '{callId, allow: {}}' <<<"$1")"
  elif [ -t 0 ]; then
    ask "$1"
  fi
  if [ -z "$answer" ]; then
    say "waits     for somebody to answer: npm run toolgate -- approvals"
  elif resolve "$(json --arg id "$session_id" '{sessionId: $id, answers: [.]}' <<<"$answer")"; then
    json -r '.results[] | select(.status != "RESOLVE_STATUS_ACCEPTED")
      | "resolve   \(.status) \(.message // "" | one_line)"' <<<"$response" >&2
  elif [ "$(json -r '.code // ""' <<<"$response")" = permission_denied ]; then
    say "$(json -r '"waits     for somebody who may answer: \(.message | one_line)"' <<<"$response")"
  else
    fail
  fi
}

# Asks the person at the terminal and sets answer.
ask() {
  local typed
  say "Allow this call? y allows it once; anything else denies it and is told to the agent."
  printf "> " >&2
  # bash forgets a Ctrl-C that comes just before it begins to wait, until the wait is over.
  until read -r -t 1 typed; do
    (($? > 128)) || return 0
  done
  case "${typed,,}" in
    y | yes) answer="$(json '{callId, allow: {}}' <<<"$1")" ;;
    *) answer="$(json --arg reason "$typed" '{callId, deny: {$reason}}' <<<"$1")" ;;
  esac
}

# A second answer to the same call changes nothing, so it is sent again while none comes back.
resolve() {
  local give_up_at=$((SECONDS + patience_seconds))
  until unary Resolve "$1"; do
    if [ -n "$response" ] || ((SECONDS > give_up_at)); then return 1; fi
    sleep 1
  done
}
