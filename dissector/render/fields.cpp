// SPDX-License-Identifier: GPL-2.0-or-later
#include "render/fields.hpp"

#include <iterator>

#include <iwarp/export/names.hpp>

#include "compat/epan.hpp"

namespace iwarp::dissector {

Fields hf;
Subtrees ett;

namespace {

const value_string opcode_titles[] = {{0, "RDMA Write"},
                                      {1, "RDMA Read Request"},
                                      {2, "RDMA Read Response"},
                                      {3, "Send"},
                                      {4, "Send with Invalidate"},
                                      {5, "Send with Solicited Event"},
                                      {6, "Send with Solicited Event and Invalidate"},
                                      {7, "Terminate"},
                                      {8, "Immediate Data"},
                                      {9, "Immediate Data with Solicited Event"},
                                      {10, "Atomic Request"},
                                      {11, "Atomic Response"},
                                      {12, "unassigned"},
                                      {13, "unassigned"},
                                      {14, "unassigned"},
                                      {15, "experimental"},
                                      {0, nullptr}};

const value_string session_functions[] = {
    {1, "Initiate"},          {2, "Accept"},          {3, "Reject"},          {4, "Terminate"},
    {5, "Enhanced Initiate"}, {6, "Enhanced Accept"}, {7, "Enhanced Reject"}, {0, nullptr}};

const value_string atomic_titles[] = {{0, "FetchAdd"}, {1, "Swap (reserved)"}, {2, "CmpSwap"}, {0, nullptr}};

const value_string latency_part_titles[] = {{0, latency_part_words(LatencyPart::request_loss)},
                                            {1, latency_part_words(LatencyPart::response_loss)},
                                            {2, latency_part_words(LatencyPart::behind_hole)},
                                            {3, latency_part_words(LatencyPart::window)},
                                            {4, latency_part_words(LatencyPart::behind_requests)},
                                            {5, latency_part_words(LatencyPart::network)},
                                            {6, latency_part_words(LatencyPart::responder)},
                                            {7, latency_part_words(LatencyPart::interleaved)},
                                            {8, latency_part_words(LatencyPart::transfer)},
                                            {9, latency_part_words(LatencyPart::unexplained)},
                                            {0, nullptr}};
static_assert(std::size(latency_part_titles) == latency_part_count + 1);

const value_string layer_titles[] = {{0, "RDMAP"}, {1, "DDP"}, {2, "LLP (MPA)"}, {0, nullptr}};

hf_register_info field_table[] = {
#define IWARP_FIELD(name, abbreviation, title, type, display, strings, description) \
  {&hf.name, {title, abbreviation, type, display, strings, 0, description, HFILL}},
#define IWARP_BITS(name, abbreviation, title, type, display, strings, mask, description) \
  {&hf.name, {title, abbreviation, type, display, strings, mask, description, HFILL}},
#include "render/fields.def"
#undef IWARP_FIELD
#undef IWARP_BITS
};

int* subtree_table[] = {&ett.iwarp,   &ett.startup,      &ett.flags,     &ett.private_data,   &ett.fpdu,
                        &ett.markers, &ett.marker,       &ett.slices,    &ett.retransmission, &ett.ddp,
                        &ett.control, &ett.rdmap,        &ett.terminate, &ett.terminated,     &ett.message,
                        &ett.finding, &ett.undecidables, &ett.at_end,    &ett.state,          &ett.negotiated,
                        &ett.side,    &ett.queue,        &ett.qp_state,  &ett.requests,       &ett.request,
                        &ett.why,     &ett.stag};
static_assert(sizeof(Subtrees) == std::size(subtree_table) * sizeof(int),
              "a kind of subtree is not registered");

}  // namespace

void register_fields(int protocol) {
  proto_register_field_array(protocol, field_table, static_cast<int>(std::size(field_table)));
  proto_register_subtree_array(subtree_table, static_cast<int>(std::size(subtree_table)));
}

}  // namespace iwarp::dissector
