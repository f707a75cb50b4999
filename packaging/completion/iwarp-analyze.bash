# Bash completion for iwarp-analyze. SPDX-License-Identifier: GPL-2.0-or-later
_iwarp_analyze() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local -r records='streams fpdus messages operations deliveries stags stalls findings states summary'
  COMPREPLY=()
  case $previous in
    --format) mapfile -t COMPREPLY < <(compgen -W 'text jsonl csv' -- "$current"); return ;;
    --min-severity) mapfile -t COMPREPLY < <(compgen -W 'info note warning error' -- "$current"); return ;;
    --fail-on) mapfile -t COMPREPLY < <(compgen -W 'error warning never' -- "$current"); return ;;
    --records)  # a list: complete what stands behind the last comma
      local before=
      [[ $current == *,* ]] && before=${current%,*},
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$records" -- "${current##*,}")
      compopt -o nospace 2>/dev/null
      return ;;
    --color | --progress) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current"); return ;;
    --interface)
      mapfile -t COMPREPLY < <(compgen -W "any $(ls /sys/class/net 2>/dev/null)" -- "$current")
      return ;;
    --state-at | --stream | --filter | --jobs | --threads | --max-memory | --host | --capture-filter) return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '--interface --capture-filter --write --format --records --why --payload-hash --state-at --color
      --stream --filter --min-severity
      --fail-on --strict --host --jobs --threads --max-memory --progress --list-checks --list-fields --help --version' -- "$current")
    return
  fi
  local -A seen=()
  local name
  while IFS= read -r name; do
    [[ -d $name || $name =~ \.(pcap|pcapng|cap|ntar|dmp)(\.(gz|zst))?$ ]] || continue
    [[ -n ${seen[$name]:-} ]] || COMPREPLY+=("$name")
    seen[$name]=1
  done < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
complete -F _iwarp_analyze iwarp-analyze
