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
    --rnic) mapfile -t COMPREPLY < <(compgen -W 'soft verbs verbs:' -- "$current"); return ;;
    --timing) mapfile -t COMPREPLY < <(compgen -W 'causal topspeed original step' -- "$current"); return ;;
    --crc | --markers) mapfile -t COMPREPLY < <(compgen -W 'on off as-captured' -- "$current"); return ;;
    --list-injections) mapfile -t COMPREPLY < <(compgen -W 'text markdown' -- "$current"); return ;;
    --command) mapfile -t COMPREPLY < <(compgen -c -- "$current"); return ;;
    --inject)
      mapfile -t COMPREPLY < <(compgen -W "list $("${COMP_WORDS[0]}" --list-injections 2>/dev/null |
        sed -n '/^Not/q; s/^\([A-Z][^ ]*\) .*/\1/p')" -- "$current")
      return ;;
    --mpa-rev) mapfile -t COMPREPLY < <(compgen -W '1 2' -- "$current"); return ;;
    --rtr) mapfile -t COMPREPLY < <(compgen -W 'read write send none as-captured' -- "$current"); return ;;
    --payload) mapfile -t COMPREPLY < <(compgen -W 'captured seeded:' -- "$current"); return ;;
    --own-stags) mapfile -t COMPREPLY < <(compgen -W 'recorded other' -- "$current"); return ;;
    --ignore) mapfile -t COMPREPLY < <(compgen -W 'field: kind: class: role: close' -- "$current"); return ;;
    --connect) mapfile -t COMPREPLY < <(compgen -A hostname -- "$current"); return ;;
    --map | --bind | --copies | --ramp | --listen | --accept-only | --stream | --speed | --max-gap | --ops-per-second | --mbps | --loop | --loop-delay | --limit | --duration | \
      --patience | --start-delay | --ird | --ord | \
      --mss | --stats | --latency-limit | --max-memory | --seed) return ;;
  esac
  if [[ $current == -* ]]; then
    local words
    case $command in
      plan) words='--output --text --anonymise --help' ;;
      compare) words='--json --ignore --help' ;;
      campaign) words='--connect --bind --listen --accept-only --inject --stream --all --patience --start-delay
        --crc --markers --mpa-rev --rtr --ird --ord --mss --payload --json --max-memory --seed --own-stags --help' ;;
      shrink) words='--output --text --command --inject --timing --speed --max-gap --ops-per-second --mbps
        --limit --duration --patience --start-delay --crc --markers --mpa-rev --rtr --ird --ord --payload
        --ignore --max-memory --seed --own-stags --help' ;;
      *) words='--loopback --in-memory --fault --as --connect --map --bind --listen --accept-only --rnic --stream --all --keep-broken --keep-broken=exact --timing --step --speed --max-gap --ops-per-second --mbps
        --copies --ramp --loop --loop-delay --limit --duration --patience --start-delay --crc --markers --mpa-rev --rtr --ird --ord --mss
        --payload --inject --record --report --junit --latency-limit --quiet --stop-on-divergence --ignore --stats
        --max-memory --seed --own-stags --help' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
complete -F _iwarp_replay iwarp-replay
