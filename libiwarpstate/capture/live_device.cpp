// SPDX-License-Identifier: GPL-2.0-or-later
#include "live_device.hpp"

#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace iwarp::capture {
namespace {

constexpr const char* all_interfaces = "any";
constexpr const char* loopback = "lo";

// libpcap knows more than interfaces: buses, monitors of Bluetooth, firewall logs. None of these has TCP.
bool is_interface(const char* name) {
  return std::string_view(name) == all_interfaces || ::if_nametoindex(name) != 0;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

// This program, as setcap(8) wants to have it.
std::string program_path() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "PROGRAM";
}

// Who may run dumpcap can capture with its rights: in Debian that is the group wireshark.
std::string rights_sentence(const std::string& interface) {
  constexpr const char* dumpcap = "/usr/bin/dumpcap";
  std::string sentence =
      interface +
      ": capturing needs rights that you do not have; grant them to the program: " + capture_right_command() +
      ", or run it with sudo";
  if (::access(dumpcap, X_OK) == 0) {
    sentence += ", or let dumpcap capture: dumpcap -q -i " + interface + " -w - | iwarp-analyze -";
  }
  return sentence;
}

std::string no_such_interface(const std::string& interface) {
  return interface + ": there is no such interface; there are " + list_of(capture_interfaces());
}

std::string open_failure(const std::string& interface, int status, const char* words) {
  switch (status) {
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED: return rights_sentence(interface);
    case PCAP_ERROR_NO_SUCH_DEVICE: return no_such_interface(interface);
    case PCAP_ERROR_IFACE_NOT_UP:
      return interface + ": the interface is down; bring it up: sudo ip link set " + interface + " up";
    default: break;
  }
  const std::string reason = words != nullptr && *words != '\0' ? words : pcap_statustostr(status);
  return interface + ": cannot be captured from: " + reason;
}

// Of all interfaces together the header may have one of two forms: that of SLL2 says which one a packet was
// on.
void choose_link_type(pcap_t* device) {
  int* types = nullptr;
  const int count = pcap_list_datalinks(device, &types);
  if (count > 0 && std::find(types, types + count, DLT_LINUX_SLL2) != types + count) {
    static_cast<void>(pcap_set_datalink(device, DLT_LINUX_SLL2));
  }
  if (count >= 0) pcap_free_datalinks(types);
}

// Linux shows a packet on loopback twice, as it is sent and as it is received. libpcap passes over the first,
// but in the ring it takes room, and lost it would be counted. Where the kernel is too old for that
// (before 4.20) it is.
void take_loopback_once(pcap_t* device, const std::string& interface) {
  const int yes = 1;
  if (interface != loopback) return;
  static_cast<void>(::setsockopt(pcap_fileno(device), SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof yes));
}

// The same among all interfaces, of which others are to be seen both ways: with the header of SLL2 a filter
// tells.
std::string once_on_loopback(pcap_t* device, const std::string& interface) {
  const unsigned index = ::if_nametoindex(loopback);
  const bool tells = interface == all_interfaces && pcap_datalink(device) == DLT_LINUX_SLL2;
  return tells && index != 0 ? "not (outbound and ifindex " + std::to_string(index) + ")" : "";
}

}  // namespace

std::string capture_right_command() {
  return "sudo setcap cap_net_raw=ep " + program_path();
}

std::vector<std::string> capture_interfaces() {
  std::vector<std::string> names;
  pcap_if_t* devices = nullptr;
  char words[PCAP_ERRBUF_SIZE];
  if (pcap_findalldevs(&devices, words) == 0) {
    for (const pcap_if_t* device = devices; device != nullptr; device = device->next) {
      if (is_interface(device->name)) names.emplace_back(device->name);
    }
    pcap_freealldevs(devices);
  }
  return names;
}

PcapDevice open_device(const LiveOptions& options, std::string& error) {
  const std::string& interface = options.interface;
  // Without rights libpcap would not tell.
  if (!is_interface(interface.c_str())) {
    error = no_such_interface(interface);
    return nullptr;
  }
  char words[PCAP_ERRBUF_SIZE] = "";
  PcapDevice device(pcap_create(interface.c_str(), words));
  if (!device) {
    error = interface + ": cannot be captured from: " + words;
    return nullptr;
  }
  pcap_t* const handle = device.get();
  pcap_set_snaplen(handle, static_cast<int>(options.snap_octets));
  pcap_set_promisc(handle, 1);
  // Not in immediate mode: each packet would take room for the longest one in the ring then.
  pcap_set_timeout(handle, block_wait_ms);
  pcap_set_buffer_size(handle, static_cast<int>(std::min<std::size_t>(options.ring_octets, INT_MAX)));
  pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO);
  if (const int status = pcap_activate(handle); status < 0) {
    error = open_failure(interface, status, pcap_geterr(handle));
    return nullptr;
  }
  take_loopback_once(handle, interface);
  choose_link_type(handle);
  if (!set_filter(handle, options.filter, error)) return nullptr;
  if (const std::string once = once_on_loopback(handle, interface); !once.empty()) {
    const std::string both = options.filter.empty() ? once : once + " and (" + options.filter + ")";
    if (!set_filter(handle, both, error)) return nullptr;
  }
  if (pcap_setnonblock(handle, 1, words) != 0) {
    error = interface + ": cannot be captured from: " + words;
    return nullptr;
  }
  return device;
}

bool set_filter(pcap_t* device, const std::string& filter, std::string& error) {
  if (filter.empty()) return true;
  bpf_program program{};
  const bool compiled = pcap_compile(device, &program, filter.c_str(), 1, PCAP_NETMASK_UNKNOWN) == 0;
  const bool set = compiled && pcap_setfilter(device, &program) == 0;
  if (!set) error = "the capture filter \"" + filter + "\" cannot be used: " + pcap_geterr(device);
  if (compiled) pcap_freecode(&program);
  return set;
}

std::uint32_t link_type_of(int data_link) noexcept {
  return data_link == DLT_RAW ? link_type::raw : static_cast<std::uint32_t>(data_link);
}

}  // namespace iwarp::capture
