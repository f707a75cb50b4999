# What captures and interop tests need inside the virtual machine; sourced by bash.
# SPDX-License-Identifier: GPL-2.0-or-later
out=/lab/captures

# siw [NAME=VALUE...]: siw as it comes, but for these; for connections from now on.
siw() {
  local setting
  for setting in zcopy_tx=1 try_gso=0 mpa_crc_required=0 mpa_crc_strict=0 siw_tcp_nagle=0 peer_to_peer=0 \
                 mpa_version=2 "$@"; do
    echo "${setting#*=}" >"/sys/module/siw/parameters/${setting%%=*}"
  done
}

responder() { ip netns exec responder "$@"; }
initiator() { ip netns exec initiator "$@"; }
both() { responder "$@" && initiator "$@"; }

# wire MTU on|off: two network namespaces, responder (10.1.1.1, fd00:1::1) and initiator (.2), joined by a veth pair with
# an siw at each end; on or off: segmentation and receive offloads.
wire() {
  local mtu=$1 offloads=$2 end number=1
  rdma link del siw-responder 2>/dev/null
  rdma link del siw-initiator 2>/dev/null
  for end in responder initiator; do ip netns del $end 2>/dev/null; done
  sleep 0.3
  for end in responder initiator; do ip netns add $end; done
  # Made here and moved, so that the two have different numbers: to listen on any address siw opens a socket for each siw
  # of the machine, all in the listener's namespace, told apart by the number of the interface.
  ip link add wire-responder type veth peer name wire-initiator
  for end in responder initiator; do ip link set wire-$end netns $end name wire; done
  for end in responder initiator; do
    ip -n $end link set lo up
    ip -n $end link set wire mtu "$mtu"
    ip -n $end addr add 10.1.1.$number/24 dev wire
    ip -n $end addr add fd00:1::$number/64 dev wire nodad
    ip netns exec $end ethtool -K wire tx on tso "$offloads" gso "$offloads" gro "$offloads" &>/dev/null
    [[ $offloads == on ]] || ip -n $end link set wire gso_max_segs 1
    ip -n $end link set wire up
    number=2
  done
  # Not before both are up: siw calls its port down where it finds no carrier.
  for end in responder initiator; do ip netns exec $end rdma link add siw-$end type siw netdev wire; done
  sleep 0.5
  initiator ping -q -c 1 10.1.1.1 >/dev/null
  initiator ping -q -c 1 fd00:1::1 >/dev/null
}

# hardship NETEM...: what netem does with all frames of the wire, in both directions.
hardship() {
  modprobe sch_netem
  both tc qdisc replace dev wire root netem "$@"
}

# record NAME COMMAND...: COMMAND (tcpdump, in a namespace or not) writes NAME.pcap until finish. Here and below a
# background program is no function, so that its process is the one that is killed.
record() {
  recorded=$1
  shift
  : >/tmp/tcpdump.log
  "$@" -Z root -n -B 65536 -U -w "/tmp/$recorded.pcap" 2>/tmp/tcpdump.log &
  recorder=$!
  until grep -q '^tcpdump: listening' /tmp/tcpdump.log || ! kill -0 $recorder 2>/dev/null; do sleep 0.05; done
}
finish() {
  sleep "${1:-0.7}"  # what was recorded last is still on its way to the file
  kill $recorder 2>/dev/null
  wait $recorder
  cat /tmp/tcpdump.log
  mv "/tmp/$recorded.pcap" "$out/"
}

# serve PORT COMMAND...: COMMAND in the background of the responder; waits until siw listens on PORT.
serve() {
  local port=$1 wait
  shift
  echo "responder: $*"
  ip netns exec responder timeout 250 "$@" >/tmp/served.log 2>&1 &
  server=$!
  for ((wait = 0; wait < 100; wait++)); do
    responder ss -Hltn "sport = :$port" | grep -q . && break
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
}
drive() { echo "initiator: $*"; initiator timeout "${limit:-120}" "$@" 2>&1 | cut -c1-160 | head -n 60; }
end_server() {
  local wait
  for ((wait = 0; wait < 20; wait++)); do kill -0 $server 2>/dev/null || break; sleep 0.1; done
  kill $server 2>/dev/null
  wait $server 2>/dev/null
  sed 's/^/responder said: /' /tmp/served.log | cut -c1-160 | head -n 60
}
