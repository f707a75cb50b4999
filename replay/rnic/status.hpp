// What verbs, completions and asynchronous events say: the lists of Verbs 1.0 §9.5, each once.
// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>

namespace iwarp::rnic {

// Immediate status of a verb (Verbs 1.0 §9.5.1, figures 28 to 35). "Invalid RNIC handle" is left out: the
// RNIC is the object whose method is called.
#define IWARP_RNIC_IMMEDIATE_STATUS(X)                                                  \
  X(ok, "operation completed successfully")                                             \
  X(insufficient_resources, "insufficient resources to complete request")               \
  X(invalid_modifier, "invalid modifier")                                               \
  X(block_list_not_supported, "block list mode not supported")                          \
  X(invalid_pd, "invalid PD ID")                                                        \
  X(pd_in_use, "protection domain is in use")                                           \
  X(too_many_cqes, "number of CQEs requested exceeds RNIC capability")                  \
  X(queue_not_empty_enough, "queue cannot shrink: too many elements are present")       \
  X(invalid_cq, "invalid CQ handle")                                                    \
  X(cq_in_use, "CQ in use")                                                             \
  X(cq_empty, "CQ empty")                                                               \
  X(too_many_wrs, "maximum number of Work Requests exceeds RNIC capability")            \
  X(too_many_sges, "maximum number of scatter/gather elements exceeds RNIC capability") \
  X(srq_limit_out_of_range, "S-RQ Limit out of range")                                  \
  X(invalid_srq, "invalid S-RQ handle")                                                 \
  X(srq_in_use, "QPs are still associated with the S-RQ")                               \
  X(ord_too_large, "ORD exceeds RNIC capability")                                       \
  X(ird_too_large, "IRD exceeds RNIC capability")                                       \
  X(invalid_qp, "invalid QP handle")                                                    \
  X(cannot_change_attribute, "cannot change QP attribute")                              \
  X(invalid_qp_state, "invalid QP state")                                               \
  X(invalid_llp_stream, "invalid LLP Stream handle")                                    \
  X(still_flushing, "RI still flushing WQEs")                                           \
  X(rq_limit_out_of_range, "QP RQ Limit out of range")                                  \
  X(windows_bound, "Memory Windows are still bound")                                    \
  X(invalid_virtual_address, "invalid Virtual Address")                                 \
  X(invalid_length, "invalid Length")                                                   \
  X(invalid_access_rights, "invalid Access Rights requested")                           \
  X(invalid_pbl_entry, "invalid Physical Buffer List entry")                            \
  X(invalid_physical_buffer_size, "invalid Physical Buffer size")                       \
  X(invalid_stag_index, "invalid STag Index")                                           \
  X(invalid_fbo, "invalid FBO")                                                         \
  X(too_many_posted, "too many Work Requests posted")                                   \
  X(invalid_operation, "invalid Operation type")                                        \
  X(invalid_sgl_format, "invalid Scatter/Gather list format")                           \
  X(invalid_sgl_length, "invalid Scatter/Gather list length")                           \
  X(rq_is_shared, "RQ associated with S-RQ")                                            \
  X(invalid_notify_type, "invalid Notify Type")

// Completion status of a Work Request (Verbs 1.0 §9.5.2, figure 36).
#define IWARP_RNIC_COMPLETION_STATUS(X)                                      \
  X(success, "success")                                                      \
  X(flushed, "flushed")                                                      \
  X(invalid_wqe, "invalid WQE")                                              \
  X(local_qp_catastrophic, "local QP catastrophic error")                    \
  X(remote_termination, "remote termination error")                          \
  X(invalid_stag, "invalid STag")                                            \
  X(base_bounds, "base & bounds violation")                                  \
  X(access_violation, "access violation")                                    \
  X(invalid_pd, "invalid PD ID")                                             \
  X(wrap, "wrap error")                                                      \
  X(invalidate_rights, "STag to invalidate had invalid PD or access rights") \
  X(zero_read_resources, "zero RDMA Read resources")                         \
  X(not_privileged, "QP not in privileged mode")                             \
  X(stag_not_invalid, "STag not in Invalid state")                           \
  X(invalid_page_size, "invalid page size")                                  \
  X(invalid_physical_buffer_size, "invalid Physical Buffer size")            \
  X(invalid_pbl_entry, "invalid Physical Buffer List entry")                 \
  X(invalid_fbo, "invalid FBO")                                              \
  X(invalid_register_length, "invalid length to register")                   \
  X(invalid_access_rights, "invalid access rights specified")                \
  X(pbl_too_long, "Physical Buffer List too long")                           \
  X(invalid_virtual_address, "invalid Virtual Address")                      \
  X(invalid_region, "invalid Region")                                        \
  X(invalid_window, "invalid Window")                                        \
  X(invalid_length, "invalid length")

// Asynchronous events (Verbs 1.0 §9.5.3, figure 37).
#define IWARP_RNIC_ASYNC_EVENT(X)                                                                \
  X(none, "none")                                                                                \
  X(llp_close_complete, "LLP Close Complete")                                                    \
  X(terminate_received, "Terminate Message Received")                                            \
  X(llp_connection_reset, "LLP Connection Reset")                                                \
  X(llp_connection_lost, "LLP Connection Lost")                                                  \
  X(llp_segment_size, "LLP Integrity Error: Segment size invalid")                               \
  X(llp_crc, "LLP Integrity Error: Invalid CRC")                                                 \
  X(llp_bad_fpdu, "LLP Integrity Error: Bad FPDU")                                               \
  X(ddp_version, "Remote Operation Error: Invalid DDP version")                                  \
  X(rdmap_version, "Remote Operation Error: Invalid RDMA version")                               \
  X(unexpected_opcode, "Remote Operation Error: Unexpected Opcode")                              \
  X(queue_number, "Remote Operation Error: Invalid DDP Queue Number")                            \
  X(read_not_enabled, "Remote Operation Error: RDMA Read not enabled")                           \
  X(write_not_enabled, "Remote Operation Error: RDMA Write & RDMA Read Response not enabled")    \
  X(read_request_malformed, "Remote Operation Error: Read Request too small or Offset non-zero") \
  X(missing_last, "Remote Operation Error: No 'L' bit when expected")                            \
  X(tagged_stag, "Protection Error: Invalid STag")                                               \
  X(tagged_bounds, "Protection Error: Tagged Base and bounds violation")                         \
  X(tagged_access, "Protection Error: Tagged Access Rights violation")                           \
  X(tagged_pd, "Protection Error: Tagged Invalid PD")                                            \
  X(tagged_wrap, "Protection Error: Wrap error")                                                 \
  X(bad_close, "Bad Close")                                                                      \
  X(bad_llp_close, "Bad LLP Close")                                                              \
  X(rq_msn_range, "RQ Protection Error: MSN range not valid")                                    \
  X(rq_msn_gap, "RQ Protection Error: gap in MSN")                                               \
  X(irrq_too_many, "IRRQ Protection Error: too many RDMA Read Request Messages in progress")     \
  X(irrq_msn_gap, "IRRQ Protection Error: gap in MSN")                                           \
  X(irrq_msn_range, "IRRQ Protection Error: MSN range is not valid")                             \
  X(irrq_stag, "IRRQ Protection Error: Invalid STag")                                            \
  X(irrq_bounds, "IRRQ Protection Error: Tagged Base and bounds violation")                      \
  X(irrq_access, "IRRQ Protection Error: Tagged Access Rights violation")                        \
  X(irrq_pd, "IRRQ Protection Error: Tagged Invalid PD")                                         \
  X(irrq_wrap, "IRRQ Protection Error: Wrap error")                                              \
  X(cq_sq_error, "CQ/SQ Error")                                                                  \
  X(cq_rq_error, "CQ/RQ Error")                                                                  \
  X(srq_error, "S-RQ error on a QP")                                                             \
  X(local_qp_catastrophic, "Local QP Catastrophic Error")                                        \
  X(cq_overflow, "CQ Overflow Detected")                                                         \
  X(cq_operation_error, "CQ Operation Error")                                                    \
  X(srq_limit, "Shared Receive Queue Limit reached")                                             \
  X(rq_limit, "QP RQ Limit Reached")                                                             \
  X(srq_catastrophic, "Shared Receive Queue Catastrophic Failure")                               \
  X(rnic_catastrophic, "RNIC Catastrophic Failure")

#define IWARP_RNIC_ENUMERATOR(name, text) name,

enum class Status : std::uint8_t {
  IWARP_RNIC_IMMEDIATE_STATUS(IWARP_RNIC_ENUMERATOR)
};
enum class CompletionStatus : std::uint8_t {
  IWARP_RNIC_COMPLETION_STATUS(IWARP_RNIC_ENUMERATOR)
};
enum class AsyncEventKind : std::uint8_t {
  IWARP_RNIC_ASYNC_EVENT(IWARP_RNIC_ENUMERATOR)
};

#undef IWARP_RNIC_ENUMERATOR

// Verbs 1.0's words for it.
[[nodiscard]] const char* text_of(Status status) noexcept;
[[nodiscard]] const char* text_of(CompletionStatus status) noexcept;
[[nodiscard]] const char* text_of(AsyncEventKind kind) noexcept;
// The enumerator, for reports.
[[nodiscard]] const char* name_of(Status status) noexcept;
[[nodiscard]] const char* name_of(CompletionStatus status) noexcept;
[[nodiscard]] const char* name_of(AsyncEventKind kind) noexcept;

// A verb's output: `value` means something only with Status::ok.
template <typename T>
struct [[nodiscard]] Outcome {
  Status status = Status::ok;
  T value{};

  [[nodiscard]] explicit operator bool() const noexcept { return status == Status::ok; }
};

}  // namespace iwarp::rnic
