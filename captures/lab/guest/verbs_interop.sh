#!/bin/bash
# iwarp-replay --rnic verbs on one siw, rping on the other: verbs_interop.sh initiator|responder CAPTURE [SIW...]
# The program and the libraries it needs are in /lab/programs. The exit status is its own, or rping's.
# SPDX-License-Identifier: GPL-2.0-or-later
. /tree/captures/lab/guest/library.sh
role=$1 capture=$2
shift 2
siw "$@"
wire 1500 off
export LD_LIBRARY_PATH=/lab/programs
play=(timeout 200 /lab/programs/iwarp-replay run "/tree/captures/real/$capture" --as "$role" --patience 100s)
if [[ $role == initiator ]]; then
  serve 7174 rping -s -v -a 10.1.1.1 -p 7174 -S 5000
  initiator "${play[@]}" --connect 10.1.1.1:7174 --rnic verbs:siw-initiator
  status=$?
  end_server
else
  ip netns exec responder "${play[@]}" --listen 10.1.1.1:7174 --rnic verbs:siw-responder &
  player=$!
  for ((wait = 0; wait < 300; wait++)); do responder ss -Hltn 'sport = :7174' | grep -q . && break; sleep 0.1; done
  initiator timeout 150 rping -c -V -a 10.1.1.1 -p 7174 -C 5 -S 5000
  status=$?
  wait $player || status=$?
fi
exit $status
