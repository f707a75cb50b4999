// SPDX-License-Identifier: GPL-2.0-or-later
#include "compat/column_fields.hpp"

namespace iwarp::dissector {
namespace {

// Those that dissectors write.
constexpr int written[] = {COL_PROTOCOL, COL_INFO, COL_EXPERT};

void renew(proto_tree* tree, int field, const char* text) {
  if (!proto_field_is_referenced(tree, field)) return;
  GPtrArray* const found = proto_find_first_finfo(tree, field);
  if (found->len != 0)
    fvalue_set_string(value_of(static_cast<field_info*>(g_ptr_array_index(found, 0))->value), text);
  g_ptr_array_free(found, TRUE);
}

}  // namespace

void renew_column_fields(packet_info* pinfo, proto_tree* tree) {
  if (tree == nullptr || pinfo->cinfo == nullptr) return;
  for (int at = 0; at < pinfo->cinfo->num_cols; ++at) {
    const col_item_t& column = pinfo->cinfo->columns[at];
    const int field = field_of(column);
    if (field == -1) continue;
    for (const int format : written) {
      const char* const text = column.col_fmt == format ? col_get_text(pinfo->cinfo, format) : nullptr;
      if (text != nullptr) renew(tree, field, text);
    }
  }
}

}  // namespace iwarp::dissector
