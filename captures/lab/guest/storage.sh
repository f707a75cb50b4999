#!/bin/bash
# Storage over RDMA between the machines target (10.2.2.1) and initiator (10.2.2.2):
#
#   storage.sh link MTU on|off [SIW_PARAMETER=VALUE...]   on both: the wire, its offloads, siw
#   storage.sh target                                     NFS and SMB servers, NVMe and iSCSI targets
#   storage.sh nfs|nvme|iser|smb NAME                     on the initiator: some work, recorded as NAME.pcap
# SPDX-License-Identifier: GPL-2.0-or-later
. /tree/captures/lab/guest/library.sh
config=/sys/kernel/config
nvme_name=nqn.2020-01.lab:disk
iscsi_name=iqn.2020-01.lab:disk

say_and_run() { echo "\$ $*"; timeout 90 "$@" 2>&1 | cut -c1-160 | head -n 20; }
copy() { dd "$@" 2>&1 | tail -n 1; }

set_link() {
  local mtu=$1 offloads=$2 number=1
  shift 2
  [[ $(hostname) == target ]] || number=2
  ip link set wire mtu "$mtu" up
  ip addr replace 10.2.2.$number/24 dev wire
  ethtool -K wire tso "$offloads" gso "$offloads" gro "$offloads" &>/dev/null
  rdma link show siw-wire/1 &>/dev/null || rdma link add siw-wire type siw netdev wire
  siw "$@"
}

nfs_server() {
  modprobe nfsd
  modprobe rpcrdma
  mkdir -p /export /var/lib/nfs /run/rpcbind
  mount -t tmpfs tmpfs /export
  mkdir /export/folder
  for file in {1..200}; do echo "file $file" >/export/folder/a_rather_long_file_name_number_$file; done
  head -c 300000 /dev/urandom >/export/random
  echo hello >/export/hello
  rpcbind -w
  echo '/export *(rw,no_root_squash,insecure,fsid=0,no_subtree_check)' >/etc/exports
  mount -t nfsd nfsd /proc/fs/nfsd
  rpc.statd --no-notify
  exportfs -ra
  rpc.nfsd 4
  echo 'rdma 20049' >/proc/fs/nfsd/portlist
  rpc.mountd
}

nvme_target() {
  local nvmet=$config/nvmet disk
  modprobe nvmet-rdma
  modprobe loop
  truncate -s 64M /tmp/nvme
  disk=$(losetup -f --show /tmp/nvme)
  mkdir -p $nvmet/subsystems/$nvme_name/namespaces/1 $nvmet/ports/1
  echo 1 >$nvmet/subsystems/$nvme_name/attr_allow_any_host
  echo -n "$disk" >$nvmet/subsystems/$nvme_name/namespaces/1/device_path
  echo 1 >$nvmet/subsystems/$nvme_name/namespaces/1/enable
  echo rdma >$nvmet/ports/1/addr_trtype
  echo ipv4 >$nvmet/ports/1/addr_adrfam
  echo 10.2.2.1 >$nvmet/ports/1/addr_traddr
  echo 4420 >$nvmet/ports/1/addr_trsvcid
  ln -s $nvmet/subsystems/$nvme_name $nvmet/ports/1/subsystems/
}

# LIO opens an ordinary TCP listener for the portal first, and siw shares TCP's ports: the second listener, iSER's, would
# find the port in use. So the portal is made in another network namespace, where its socket stays.
iser_target() {
  local target=$config/target group=$config/target/iscsi/$iscsi_name/tpgt_1
  modprobe iscsi_target_mod
  modprobe ib_isert
  modprobe target_core_file
  truncate -s 64M /tmp/iscsi
  mkdir -p $target/core/fileio_0/disk
  echo "fd_dev_name=/tmp/iscsi,fd_dev_size=67108864" >$target/core/fileio_0/disk/control
  echo 1 >$target/core/fileio_0/disk/enable
  ip netns add portal
  ip -n portal link set lo up
  ip -n portal addr add 10.2.2.1/32 dev lo
  mkdir -p $group/np $group/lun/lun_0
  nsenter --net=/run/netns/portal mkdir $group/np/10.2.2.1:3260
  ln -s $target/core/fileio_0/disk $group/lun/lun_0/disk
  for setting in authentication=0 generate_node_acls=1 cache_dynamic_acls=1 demo_mode_write_protect=0; do
    echo "${setting#*=}" >"$group/attrib/${setting%=*}"
  done
  echo 1 >$group/np/10.2.2.1:3260/iser
  echo 1 >$group/enable
}

smb_server() {
  modprobe ksmbd
  mkdir -p /shared
  mount -t tmpfs tmpfs /shared
  seq 20000 >/shared/numbers
  echo hello >/shared/hello
  mkdir -p /etc/ksmbd /run
  printf '%s\n' '[global]' '	workgroup = LAB' '[shared]' '	path = /shared' '	read only = no' >/etc/ksmbd/ksmbd.conf
  ksmbd.adduser -a lab -p lab
  ksmbd.mountd
  for wait in {1..100}; do ss -Hltn 'sport = :5445' | grep -q . && break; sleep 0.1; done
}

nfs() {
  modprobe rpcrdma
  say_and_run mount -v -t nfs -o rdma,port=20049,vers=4.1 10.2.2.1:/ /mnt
  ls /mnt >/dev/null
  ls -l /mnt/folder | tail -n 2
  cat /mnt/hello
  md5sum /mnt/random
  copy if=/dev/urandom of=/mnt/written bs=100000 count=2 conv=fsync
  echo abc >/mnt/small
  mv /mnt/small /mnt/renamed
  ln -s hello /mnt/link
  readlink /mnt/link
  rm /mnt/renamed /mnt/link /mnt/written
  sync
  say_and_run umount /mnt
}

nvme_work() {
  local disk
  modprobe nvme-rdma
  say_and_run nvme discover -t rdma -a 10.2.2.1 -s 4420
  say_and_run nvme connect -t rdma -a 10.2.2.1 -s 4420 -n $nvme_name -i 2
  sleep 1
  disk=$(echo /dev/nvme*n1)
  say_and_run nvme id-ctrl "$disk"
  copy if=/dev/urandom of="$disk" bs=64k count=4 oflag=direct
  copy if=/dev/urandom of="$disk" bs=4k count=8 seek=100 oflag=direct
  copy if="$disk" of=/dev/null bs=64k count=4 iflag=direct
  copy if="$disk" of=/dev/null bs=512 count=4 iflag=direct
  say_and_run nvme flush "$disk"
  say_and_run nvme write-zeroes "$disk" -s 0 -c 7
  say_and_run nvme disconnect -n $nvme_name
}

iser() {
  local node=(iscsiadm -m node -T $iscsi_name -p 10.2.2.1:3260) disk
  modprobe ib_iser
  modprobe sd_mod
  mkdir -p /run/lock/iscsi
  echo "InitiatorName=iqn.2020-01.lab:initiator" >/etc/iscsi/initiatorname.iscsi
  pidof iscsid >/dev/null || iscsid &>/dev/null </dev/null
  sleep 1
  say_and_run iscsiadm -m discovery -t st -p 10.2.2.1 -I iser
  say_and_run iscsiadm -m node -o new -T $iscsi_name -p 10.2.2.1:3260 -I iser
  say_and_run "${node[@]}" --login
  sleep 2
  disk=$(ls /dev/sd? | head -n 1)
  copy if=/dev/urandom of="$disk" bs=64k count=4 oflag=direct
  copy if="$disk" of=/dev/null bs=64k count=4 iflag=direct
  copy if=/dev/urandom of="$disk" bs=4k count=4 oflag=direct
  say_and_run "${node[@]}" --logout
}

smb_mount() {
  say_and_run mount -v -t cifs -o rdma,vers=3.1.1,username=lab,password=lab,cache=none //10.2.2.1/shared /mnt
}
# This kernel's ksmbd may refuse the first connection of all.
smb_first() {
  modprobe cifs
  for wait in {1..5}; do
    smb_mount
    mountpoint -q /mnt && break
  done
  umount /mnt
}

smb() {
  smb_mount
  ls -l /mnt
  cat /mnt/hello
  md5sum /mnt/numbers
  copy if=/mnt/numbers of=/dev/null bs=3000 count=2  # too short for RDMA: several Sends
  seq 20000 >/tmp/numbers
  copy if=/tmp/numbers of=/mnt/written bs=50000 count=2 conv=fsync
  rm /mnt/written
  say_and_run umount /mnt
}

mountpoint -q $config || mount -t configfs none $config
case $1 in
  link) shift; set_link "$@" ;;
  target)
    [[ ! -e /run/targets ]] || exit 0
    touch /run/targets
    nfs_server
    nvme_target
    iser_target
    smb_server ;;
  nfs | nvme | iser | smb)
    [[ $1 != smb ]] || smb_first
    record "$2" tcpdump -i wire -s 0 tcp
    case $1 in nfs) nfs ;; nvme) nvme_work ;; iser) iser ;; smb) smb ;; esac
    finish 3 ;;
esac
