#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/trace_ids.hpp>

#include <cstdint>

namespace convene::protocol {
namespace {

/// Keeps the ids of a Trace apart from the session's own.
constexpr std::uint64_t trace_space = 0x7472616365;
constexpr std::uint64_t other_space = 0x7370616e;

} // namespace

trace_ids::trace_ids(std::string_view session_id) noexcept {
  const auto id = parse_uuid(session_id);
  key_ = id ? *id : hashed_uuid(session_id);
}

uuid trace_ids::trace() const noexcept {
  return derive_uuid(key_, trace_space, 1);
}

uuid trace_ids::root_span() const noexcept {
  return derive_uuid(key_, trace_space, 2);
}

uuid trace_ids::segment(std::size_t index) const noexcept {
  return derive_uuid(key_, trace_space, index + 3);
}

uuid trace_ids::other(std::size_t index) const noexcept {
  return derive_uuid(key_, other_space, index);
}

} // namespace convene::protocol
