# Bash completion for iwarp-replay. SPDX-License-Identifier: GPL-2.0-or-later
_iwarp_replay() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'plan run compare campaign shrink --list-injections --help --version' -- "$current")
    return
  fi
  case $previous in
    --as) mapfile -t COMPREPLY < <(compgen -W 'initiator responder' -- "$current"); return ;;
    --timing) mapfile -t COMPREPLY < <(compgen -W 'causal topspeed original' -- "$current"); return ;;
    --crc | --markers) mapfile -t COMPREPLY < <(compgen -W 'on off as-captured' -- "$current"); return ;;
    --rtr) mapfile -t COMPREPLY < <(compgen -W 'read write send as-captured' -- "$current"); return ;;
    --list-injections) mapfile -t COMPREPLY < <(compgen -W 'text markdown' -- "$current"); return ;;
    --command) mapfile -t COMPREPLY < <(compgen -c -- "$current"); return ;;
    --inject)
      mapfile -t COMPREPLY < <(compgen -W "list $("${COMP_WORDS[0]}" --list-injections 2>/dev/null |
        sed -n '/^Not/q; s/^\([A-Z][^ ]*\) .*/\1/p')" -- "$current")
      return ;;
    --mpa-rev) mapfile -t COMPREPLY < <(compgen -W '1 2' -- "$current"); return ;;
    --payload) mapfile -t COMPREPLY < <(compgen -W 'captured seeded:' -- "$current"); return ;;
    --own-stags) mapfile -t COMPREPLY < <(compgen -W 'recorded other' -- "$current"); return ;;
    --ignore) mapfile -t COMPREPLY < <(compgen -W 'field: kind: class: role: close' -- "$current"); return ;;
    --connect) mapfile -t COMPREPLY < <(compgen -A hostname -- "$current"); return ;;
    --listen | --stream | --speed | --max-gap | --loop | --loop-delay | --limit | --duration | --patience | --ird | --ord | \
      --mss | --stats | --max-memory | --seed) return ;;
  esac
  if [[ $current == -* ]]; then
    local words
    case $command in
      plan) words='--output --text --anonymise --help' ;;
      compare) words='--json --ignore --help' ;;
      campaign) words='--connect --listen --json --inject --stream --crc --markers --mpa-rev --ird --ord --mss --rtr --payload
        --patience --max-memory --seed --own-stags --help' ;;
      shrink) words='--output --text --command --inject --crc --markers --mpa-rev --ird --ord --rtr --timing --max-memory --seed --help' ;;
      *) words='--loopback --as --connect --listen --inject --rtr --stream --all --timing --speed --max-gap --loop --loop-delay --limit
        --duration --patience --crc --markers --mpa-rev --ird --ord --mss --payload --record --report --ignore --stats
        --max-memory --seed --own-stags --help' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
complete -F _iwarp_replay iwarp-replay
