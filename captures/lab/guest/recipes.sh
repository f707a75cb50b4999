#!/bin/bash
# Makes one of the repository's captures in the virtual machine: recipes.sh NAME. Those that need more than one machine,
# or the host, are in ../capture_outside.sh.
# SPDX-License-Identifier: GPL-2.0-or-later
. /tree/captures/lab/guest/library.sh
name=$1
programs=/lab/verbs_scenarios
v4=10.1.1.1 v6=fd00:1::1
crc=mpa_crc_required=1
capture=(ip netns exec initiator tcpdump -i wire -s 0 tcp)

# rping_pair ADDRESS OPTIONS...
rping_pair() {
  local address=$1
  shift
  record "$name" "${capture[@]}"
  serve 7174 rping -s -a "$address" -p 7174 "$@"
  drive rping -c -a "$address" -p 7174 -v "$@"
  end_server
  finish
}

# perftest TOOL OPTIONS...: connected by the RDMA connection manager; control and data connections.
perftest() {
  local tool=$1
  shift
  record "$name" "${capture[@]}"
  serve 18515 "$tool" -R -d siw-responder "$@"
  drive "$tool" -R -d siw-initiator "$@" 10.1.1.1
  end_server
  finish
}

# pair PORT SERVER... -- CLIENT...
pair() {
  local port=$1 server_line=()
  shift
  while [[ $1 != -- ]]; do server_line+=("$1"); shift; done
  shift
  record "$name" "${capture[@]}"
  serve "$port" "${server_line[@]}"
  drive "$@"
  end_server
  finish
}

# scenarios SCENARIO...: our own verbs program, one connection each.
scenarios() {
  local scenario
  record "$name" "${capture[@]}"
  serve 7175 $programs respond $v4 7175
  for scenario in "$@"; do
    kill -0 $server 2>/dev/null || serve 7175 $programs respond $v4 7175
    limit=25 drive $programs play $v4 7175 "$scenario"
  done
  end_server
  finish
}

# rping_fleet OPTIONS...: fifty clients at once against one server.
rping_fleet() {
  local -a clients=()
  local client connected=0
  record "$name" "${capture[@]}"
  serve 7174 rping -s -a $v4 -p 7174 -P "$@"
  for client in {1..50}; do
    ip netns exec initiator timeout 60 rping -c -a $v4 -p 7174 -C 3 -S 1000 >/dev/null 2>&1 &
    clients+=($!)
  done
  for client in "${clients[@]}"; do wait "$client" && connected=$((connected + 1)); done
  echo "clients that ended well: $connected"
  kill $server
  end_server
  finish
}

# joined_midstream FRAMES: the recording begins when the connection has been busy for a while.
joined_midstream() {
  serve 7174 rping -s -a $v4 -p 7174 -C 4000 -S 3000
  ip netns exec initiator rping -c -a $v4 -p 7174 -C 4000 -S 3000 >/dev/null 2>&1 &
  local client=$!
  sleep 0.7
  record "$name" ip netns exec initiator tcpdump -i wire -s 0 -c "$1" tcp
  wait $recorder
  kill $client
  end_server
  finish
}

# Plain TCP servers where siw expects an MPA peer. The last answer makes the guest's kernel oops (a bug of Linux 6.1), so
# what was recorded is moved out before and once more after, and the machine is started anew for what comes next.
against_plain_tcp() {
  local answer port=7190
  record "$name" "${capture[@]}"
  for answer in 'SYSTEM:sleep .2' EXEC:cat 'SYSTEM:echo HTTP/1.0 400 Bad Request; sleep 1'; do
    responder timeout 20 socat TCP-LISTEN:$port,reuseaddr "$answer" &
    sleep 0.5
    (sleep 3; cp "/tmp/$name.pcap" "$out/"; sync) &
    initiator timeout 12 $programs play $v4 $port send
    port=$((port + 1))
  done
  finish
}

case $name in
  01a-rping-v4-mtu1500-tso) siw; wire 1500 on; rping_pair $v4 -C 5 -S 64 ;;
  01e-rping-v6-mtu1500-notso-S20000) siw; wire 1500 off; rping_pair $v6 -C 5 -S 20000 ;;
  01g-rping-v4-mtu1500-notso-crc-S5000) siw $crc; wire 1500 off; rping_pair $v4 -C 5 -S 5000 ;;
  01i-rping-v4-p2p-crc) siw $crc peer_to_peer=1; wire 1500 off; rping_pair $v4 -C 2 -S 100 ;;
  01k-rping-v4-mpav1) siw mpa_version=1; wire 1500 off; rping_pair $v4 -C 2 -S 100 ;;
  01m-rping-v4-mtu9000-tso-crc-S60000) siw $crc; wire 9000 on; rping_pair $v4 -C 3 -S 60000 ;;
  01o-rping-v4-mtu1500-trygso-crc-S60000) siw $crc try_gso=1; wire 1500 on; rping_pair $v4 -C 3 -S 60000 ;;

  02a-send_lat-2B) siw; wire 1500 off; perftest ib_send_lat -s 2 -n 20 ;;
  02h-write_bw-4K-q8-crc-notso) siw $crc; wire 1500 off; perftest ib_write_bw -s 4096 -n 20 -q 8 ;;
  02o-read_bw-64K-o8-crc-tso-nagle) siw $crc siw_tcp_nagle=1; wire 1500 on; perftest ib_read_bw -s 65536 -n 16 -o 8 ;;
  02u-atomic-unsupported) siw $crc; wire 1500 off; perftest ib_atomic_bw -n 5 ;;

  03a-send-variants)
    siw; wire 1500 off
    scenarios send send_se send_inline send_sge send_inv send_inv_se send_inv_big send0 write0 read0 ;;
  03c-sizes-crc) siw $crc; wire 1500 off; scenarios sizes ;;
  03d-burst-readmany) siw $crc; wire 1500 off; scenarios burst read_many ord1 ord0 pd_max ;;
  03e-term-atomic) siw $crc; wire 1500 off; scenarios atomic ;;
  03e-term-bad_lkey) siw $crc; wire 1500 off; scenarios bad_lkey ;;
  03e-term-norecv) siw $crc; wire 1500 off; scenarios norecv ;;
  03e-term-read_badrkey) siw $crc; wire 1500 off; scenarios read_badrkey ;;
  03e-term-read_oob) siw $crc; wire 1500 off; scenarios read_oob ;;
  03e-term-read_wo) siw $crc; wire 1500 off; scenarios read_wo ;;
  03e-term-recv_short) siw $crc; wire 1500 off; scenarios recv_short ;;
  03e-term-send_inv_bad) siw $crc; wire 1500 off; scenarios send_inv_bad ;;
  03e-term-write_badkey8) siw $crc; wire 1500 off; scenarios write_badkey8 ;;
  03e-term-write_big_oob) siw $crc; wire 1500 off; scenarios write_big_oob ;;
  03e-term-write_dereg) siw $crc; wire 1500 off; scenarios write_dereg ;;
  03e-term-write_imm) siw $crc; wire 1500 off; scenarios write_imm ;;
  03e-term-write_oob) siw $crc; wire 1500 off; scenarios write_oob ;;
  03e-term-write_otherpd) siw $crc; wire 1500 off; scenarios write_otherpd ;;
  03e-term-write_ro) siw $crc; wire 1500 off; scenarios write_ro ;;
  03f-close-variants)
    siw $crc; wire 1500 off
    scenarios close_now idle srv_send srv_disc qp_err srv_qp_err exit srv_exit destroy ;;
  03g-reject) siw $crc; wire 1500 off; scenarios reject reject_nopd reject ;;
  03h-refused-noanswer) siw $crc; wire 1500 off; scenarios noanswer ;;
  03i-no-listener-rst)
    siw $crc; wire 1500 off
    record "$name" "${capture[@]}"; drive $programs play $v4 9 send; finish ;;
  03j-client-vs-plain-tcp) siw $crc; wire 1500 off; against_plain_tcp ;;

  07a-negative-plain-tcp-rstream)
    siw $crc; wire 1500 off
    pair 7471 rstream -b $v4 -p 7471 -C 5 -S 1000 -T s -- rstream -s $v4 -p 7471 -C 5 -S 1000 -T s ;;
  07b-rstream-lat64K)
    siw $crc; wire 1500 off
    pair 7471 rstream -b $v4 -p 7471 -C 5 -S 65536 -- rstream -s $v4 -p 7471 -C 5 -S 65536 ;;
  07c-riostream)
    siw $crc; wire 1500 off
    pair 7471 riostream -b $v4 -p 7471 -C 5 -S 10000 -- riostream -s $v4 -p 7471 -C 5 -S 10000 ;;
  07d-rcopy)
    siw $crc; wire 1500 off
    seq 2000 >/tmp/numbers
    pair 7471 rcopy -p 7471 -- rcopy /tmp/numbers $v4:/tmp/copied -p 7471
    cmp /tmp/numbers /tmp/copied ;;
  07e-ucmatose)
    siw $crc; wire 1500 off
    pair 7471 ucmatose -b $v4 -c 4 -C 4 -S 500 -- ucmatose -s $v4 -c 4 -C 4 -S 500 ;;
  07f-rdma_client-server) siw $crc; wire 1500 off; pair 7475 rdma_server -p 7475 -- rdma_client -s $v4 -p 7475 ;;

  08a-rping-loss2-notso-S20000) siw $crc; wire 1500 off; hardship loss 2% delay 1ms; rping_pair $v4 -C 10 -S 20000 ;;
  08c-rping-reorder-notso-S20000)
    siw $crc; wire 1500 off; hardship delay 3ms 2ms 25% reorder 25% 50%; rping_pair $v4 -C 10 -S 20000 ;;
  08e-send_bw-5000B-loss-dup-reorder-notso)
    siw $crc; wire 1500 off; hardship loss 1% delay 1ms 1ms reorder 10% duplicate 3%
    perftest ib_send_bw -s 5000 -n 100 ;;
  08g-send_bw-200B-n500-loss3-tso)
    siw $crc; wire 1500 on; hardship loss 3% delay 1ms duplicate 2%; perftest ib_send_bw -s 200 -n 500 ;;
  08i-rping-corrupt3-S5000) siw; wire 1500 on; hardship corrupt 3%; rping_pair $v4 -C 10 -S 5000 ;;
  08j-midstream-rping-crc-S3000) siw $crc; wire 1500 off; joined_midstream 400 ;;
  08l-snap96-rping-crc-S5000)
    siw $crc; wire 1500 off
    capture=(ip netns exec initiator tcpdump -i wire -s 96 tcp); rping_pair $v4 -C 5 -S 5000 ;;

  09a-50-parallel-rping-crc-terminate) siw $crc; wire 1500 off; rping_fleet ;;
  09d-50-parallel-rping-crc-S1000-ok) siw $crc; wire 1500 off; rping_fleet -S 1000 ;;

  10b-evilpeer-cases)
    siw $crc; wire 1500 off
    record "$name" "${capture[@]}"
    # A case may end the server; the next one finds another.
    (trap 'kill $server; exit' TERM
     while :; do ip netns exec responder $programs respond $v4 7175 & server=$!; wait $server; sleep 0.1; done) \
      >/tmp/served.log 2>&1 &
    server=$!
    sleep 1
    PYTHONPATH=/tree/tests/interop limit=250 drive python3 /tree/captures/lab/guest/hostile.py $v4 7175
    end_server
    finish ;;
  *) echo "no recipe for $name" >&2; exit 2 ;;
esac
