#!/usr/bin/env bash
# Makes one of the captures that take more than one virtual machine, or the host: capture_outside.sh NAME. The others are in
# guest/recipes.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail
here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
lab() { "$here/lab" "$@"; }
name=$1

# storage PROTOCOL MTU OFFLOADS SIW...: two machines and a wire between them.
storage() {
  local protocol=$1 machine
  shift
  lab boot target
  lab boot initiator
  for machine in target initiator; do
    lab run -n $machine "bash /tree/captures/lab/guest/storage.sh link $*"
  done
  lab run -n target "bash /tree/captures/lab/guest/storage.sh target"
  lab run -n initiator "bash /tree/captures/lab/guest/storage.sh $protocol $name"
}

# An initiator on the host, through a forwarded port: octets of another TCP than Linux's and of no RNIC.
python_against_rping() {
  lab boot lab
  lab run - <<'GUEST'
. /tree/captures/lab/guest/library.sh
siw
record 10a-host-python-vs-rping tcpdump -i outside -s 0 tcp port 7174
echo $recorder >/tmp/recorder
timeout 60 rping -s -a 10.0.2.15 -p 7174 -v >/tmp/rping.log 2>&1 &
until ss -Hltn 'sport = :7174' | grep -q .; do sleep 0.1; done
GUEST
  local status=0
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/../../tests/interop python3 - "$(lab port 7174)" <<'PYTHON' || status=$?
import socket, sys
import rping_peer
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30) as connection:
    rping_peer.initiate(connection, rounds=2, size=64, pause=0.5)  # why a pause: tests/interop/rping_interop.py
PYTHON
  lab run '. /tree/captures/lab/guest/library.sh; sleep 1
           recorded=10a-host-python-vs-rping recorder=$(</tmp/recorder); finish; cat /tmp/rping.log'
  return "$status"
}

case $name in
  04a-nfs4-rdma-mtu9000-tso-nocrc) storage nfs 9000 on ;;
  05a-nvme-rdma-mtu1500-trygso-crc) storage nvme 1500 on mpa_crc_required=1 try_gso=1 ;;
  06a-iser-mtu9000-tso-nocrc) storage iser 9000 on ;;
  06c-smb-direct-mtu1500-tso-crc) lab build smb; storage smb 1500 on mpa_crc_required=1 ;;
  10a-host-python-vs-rping) python_against_rping ;;
  *) echo "no recipe for $name" >&2; exit 2 ;;
esac
