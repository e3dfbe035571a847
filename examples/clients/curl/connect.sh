# Connect by curl: one request and answer, or a stream of answers. Each leaves what came last in
# response: a message, or what Connect tells of an error ({code, message}); empty without an answer.

service=toolgate.gateway.v1.SessionService

# How the last stream ended: by its last frame, or without one.
stream_ended=""
stream_pid=""

open_connection() {
  gateway="$1"
  bearer="$2"
  trap close_stream EXIT
}

# curl on a method, with what to send on standard input; ends the subshell it is called in. Token and
# message go through pipes, never through arguments, which every user of the machine could read. A
# connection that vanished without a word is noticed by TCP's keepalive.
call() {
  exec curl --silent --keepalive-time 20 --header @<(printf 'authorization: Bearer %s\n' "$bearer") \
    --data-binary @- "${@:2}" "$gateway/$service/$1"
}

# Sends JSON to a method; fails when the answer is an error, or none.
unary() {
  response=""
  response="$(call "$1" --fail-with-body --header 'content-type: application/json' < <(printf %s "$2"))"
}

# Sends JSON to a method that answers with a stream; read_message gives one answer a call.
open_stream() {
  exec {stream}< <(
    call "$1" --no-buffer --header 'content-type: application/connect+json' < <(envelope "$2")
  )
  stream_pid=$!
  stream_ended=""
}

close_stream() {
  [ -n "$stream_pid" ] || return 0
  exec {stream}<&-
  kill "$stream_pid" 2>/dev/null || true
  wait "$stream_pid" 2>/dev/null || true
  stream_pid=""
}

# True when the stream broke instead of ending, or was ended by a gateway that goes down.
is_lost() {
  [ -z "$stream_ended" ] || [ "$(json -r .code <<<"$response")" = unavailable ]
}

# A frame of Connect: a byte of flags, four of length, the message.
envelope() {
  local LC_ALL=C
  local length="${#1}"
  printf "$(printf '\\x%02x' 0 $((length >> 24)) $((length >> 16 & 255)) $((length >> 8 & 255)) $((length & 255)))"
  printf %s "$1"
}

# Reads the next message of the stream; fails at its end.
read_message() {
  local LC_ALL=C IFS="" flags length=0 byte
  response=""
  read_byte || return 1
  flags="$byte"
  for _ in 1 2 3 4; do
    read_byte || return 1
    length=$((length << 8 | byte))
  done
  read -r -N "$length" -u "$stream" response || { response="" && return 1; }
  ((flags & 2)) || return 0
  stream_ended=yes
  response="$(json '.error // {code: "not_found", message: "the session was deleted before its reply ended"}' <<<"$response")"
  return 1
}

# bash takes the zero byte for the end of a text, and so for an empty one.
read_byte() {
  read -r -d "" -n 1 -u "$stream" byte || return 1
  printf -v byte %d "'$byte"
  byte=$((byte & 255))
}
