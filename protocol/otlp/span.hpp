#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/documents/trace_context.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

// With the numbers that OpenTelemetry gives them.
enum class span_kind : std::uint8_t { internal = 1, client = 3 };
enum class span_status : std::uint8_t { unset = 0, ok = 1, error = 2 };

/// Something that happened during a span. The values of attributes, here and
/// in spans, are texts, booleans, int64 and double numbers, or arrays of texts.
struct span_event {
  timestamp_ms at = 0;
  std::string name;
  json::object attributes;
};

/// What took some time in a session.
struct trace_span {
  std::uint64_t id = 0;              ///< 0: not given yet
  std::optional<std::size_t> parent; ///< its index in the trace
  std::optional<std::size_t> linked; ///< likewise, of the span it continues
  std::string name;
  span_kind kind = span_kind::internal;
  timestamp_ms start = 0;
  timestamp_ms end = 0;
  bool is_open = true;
  span_status status = span_status::unset;
  std::string message; ///< of an error
  protocol::usage used;
  json::object attributes;
  std::vector<span_event> events;
  std::size_t events_dropped = 0;
};

/// A session as one trace; the first span is its root. Ids are not 0, each is
/// there once, a parent is before its children, no span ends before it starts,
/// and all are within the root.
struct span_trace {
  uuid id;
  /// The caller's span that the root is below, if there is one; the id of the
  /// trace is then the caller's, too.
  std::optional<trace_parent> caller;
  std::string state; ///< the caller's tracestate; empty: none
  std::vector<trace_span> spans;
};

/// Texts are cut to so many bytes, names of spans to fewer.
inline constexpr std::size_t span_text_bytes_max = 1'024;
inline constexpr std::size_t span_name_bytes_max = 200;

/// "operation of"; `of` may be empty.
[[nodiscard]] std::string span_name(std::string_view operation,
                                    std::string_view of);

/// The `usage` in it; what is no count is 0.
[[nodiscard]] usage usage_in(const json::object& from) noexcept;

/// Sets an attribute to what `value` says, cut to the bounds. What an
/// attribute cannot be, an empty text included, is passed over.
void set_value(json::object& attributes, std::string_view name,
               const json::value& value);
void set_text(json::object& attributes, std::string_view name,
              std::string_view text);

/// Sets `mplp.<member>` for each of the members that `from` has.
void copy_members(json::object& attributes, const json::object& from,
                  const std::vector<std::string_view>& members);

} // namespace convene::protocol
