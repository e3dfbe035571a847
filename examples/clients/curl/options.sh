# The command line.

usage="Usage: client.sh MESSAGE [--file FILE]... [--agent NAME] [--address URL] [--token-file FILE] [--yes]

Needs bash 4.4 or newer, curl 7.82 or newer, and jq 1.6 or newer."

# Sets content, agent, address, token and always_allow. The content is one JSON block a line.
read_options() {
  need_tools
  local message="" token_file=.toolgate/tokens/owner.token files=() file
  agent=analyst address=http://127.0.0.1:7420 always_allow=""
  while (($# > 0)); do
    case "$1" in
      --help)
        printf "%s\n" "$usage"
        exit 0
        ;;
      --yes) always_allow=yes ;;
      --file | --agent | --address | --token-file)
        (($# > 1)) || refuse "$1 needs a value; see --help"
        case "$1" in
          --file) files+=("$2") ;;
          --agent) agent="$2" ;;
          --address) address="${2%/}" ;;
          --token-file) token_file="$2" ;;
        esac
        shift
        ;;
      -*) refuse "there is no option $1; see --help" ;;
      *)
        [ -z "$message" ] || refuse "give one message, in quotation marks; see --help"
        message="$1"
        ;;
    esac
    shift
  done
  [ -n "$message" ] || refuse "$usage"
  [ -r "$token_file" ] || refuse "cannot read the token in $token_file; name its file with --token-file"
  token="$(<"$token_file")"
  content="$(json -n --arg text "$message" '{text: {$text}}')"
  for file in "${files[@]}"; do
    iconv -f UTF-8 -t UTF-8 -- "$file" >/dev/null 2>&1 || refuse "cannot read $file as text in UTF-8"
    content+="$(json -n --arg name "${file##*/}" --rawfile text "$file" '{text: {text: "File \($name):\n\($text)"}}')"
  done
}

need_tools() {
  ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || refuse "this example needs bash 4.4 or newer"
  local tool
  for tool in curl jq iconv; do
    command -v "$tool" >/dev/null || refuse "this example needs $tool, which is not installed"
  done
}

refuse() {
  say "$1"
  exit 2
}
