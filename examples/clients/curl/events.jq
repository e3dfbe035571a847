# What a person reads of events.

def hex:
  [recurse(if . >= 16 then . / 16 | floor else empty end) % 16 | "0123456789abcdef"[.:. + 1]] | reverse | add;

# Escapes control, bidirectional and zero-width characters: models and tools write this text.
def visible: gsub("(?<unseen>(?!\n)[\\p{C}\\p{Zl}\\p{Zp}])"; "\\u{\(.unseen | explode[0] | hex)}");

def trim: sub("^\\s+"; "") | sub("\\s+$"; "");

def one_line: trim | gsub("\n"; " ⏎ ") | visible | if length > 300 then .[:299] + "…" else . end;

# Which kind of event it is: the one name that is not in every event.
def kind: keys_unsorted - ["sequence", "sessionId", "replyId", "time"] | .[0] // "";

# What the model says in it, as a JSON string; empty where it says nothing.
def delta: if .textBlockDelta.text then .textBlockDelta.text | tojson else "" end;

# One line about an event; empty where there is nothing to tell.
def line:
  if .toolCallStart then .toolCallStart | "call      \(.toolName | visible) \(.argumentsText // "" | one_line)"
  elif .toolCallDecided then .toolCallDecided.decision
    | "decision  \(.behavior | sub("PERMISSION_BEHAVIOR_"; "")): \(.reason // "" | one_line)"
  elif .confirmationAnswered then "answered  by \(.confirmationAnswered.approver | one_line)"
  elif .toolResultEnd then
    "result    \([.toolResultEnd.result.content[]? | .text // empty | .text // ""] | join("\n") | one_line)"
  elif .toolCallEnd then .toolCallEnd
    | "outcome   \(.outcome | sub("OUTCOME_"; ""))\(if .reason then " (\(.reason))" else "" end)"
  else "" end;
