#pragma once

#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/json/json_writer.hpp>

// What the encoders of MAP and core events share. What has a form of its own is
// never part of `write_event`'s one piece.

namespace convene::protocol {

[[gnu::noinline]] void write_value(json_writer& out, const json::value& value);

/// Millionths of a US dollar as a number of dollars: as any JSON value of a log
/// is written, so that it is read and written again unchanged.
[[gnu::noinline]] void write_dollars(json_writer& out, std::int64_t microusd);

/// A write in its JSON form; `op` and `value` are left out at their default.
void write_write(json_writer& out, const resource_write& what);

/// A claim in its JSON form; what is default is left out.
void write_claim(json_writer& out, const claim& what);

/// A reply in its JSON form (interface: a participant's reply); members at
/// their default are left out.
[[gnu::noinline]] void write_reply(json_writer& out, const reply& what);

/// `{"status":...}` followed by the members of `more`, save one called status.
[[gnu::noinline]] void write_result(json_writer& out, std::string_view status,
                                    const json::object& more);

/// At most this many bytes of a reply's content stand in `output_summary`.
inline constexpr std::size_t summary_bytes_max = 120;

/// The first part of `text`, cut where a character ends.
[[nodiscard]] std::string_view summary_of(std::string_view text) noexcept;

} // namespace convene::protocol
