# Makes module parameters of siw's compile-time constants, so that one module can be every siw; changes nothing else.
# SPDX-License-Identifier: GPL-2.0-or-later
s/^extern const bool (zcopy_tx|try_gso|loopback_enabled|mpa_crc_required|mpa_crc_strict|siw_tcp_nagle|peer_to_peer);/extern bool \1;/
s/^const bool (zcopy_tx|try_gso|loopback_enabled|mpa_crc_required|mpa_crc_strict|siw_tcp_nagle|peer_to_peer)( = true)?;/bool \1\2;\nmodule_param(\1, bool, 0644);/
s/^u_char mpa_version = MPA_REVISION_2;/&\nmodule_param(mpa_version, byte, 0644);/
