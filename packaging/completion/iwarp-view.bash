# Bash completion for iwarp-view. SPDX-License-Identifier: GPL-2.0-or-later
_iwarp_view() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  case $previous in
    --view)
      mapfile -t COMPREPLY < <(compgen -W 'flows ladder outstanding latency throughput time tcp operation state message
        stags operations messages findings' -- "$current")
      return ;;
    --interface) mapfile -t COMPREPLY < <(compgen -W "any $(ls /sys/class/net)" -- "$current"); return ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W 'light dark' -- "$current"); return ;;
    --stream | --frame | --filter | --capture-filter | --range | --size | --scale | --max-memory) return ;;
  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '--view --stream --frame --filter --range --compare --follow --interface --capture-filter --screenshot --bench
      --size --scale --theme --host --strict --max-memory --help --version' -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}
complete -F _iwarp_view iwarp-view
