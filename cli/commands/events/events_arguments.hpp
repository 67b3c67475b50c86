#pragma once

#include <convene/cli/common/options.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/cursor.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace convene::cli {

/// What `convene events` is asked for.
struct events_arguments {
  std::string log;
  host::event_filter filter; ///< complete after `complete`
  std::optional<host::log_cursor> after;
  std::optional<std::uint64_t> limit;
  bool lines = false; ///< --jsonl
  bool follow = false;
  std::string salvage; ///< the new log; empty: not asked for

  // As written, until `complete`.
  std::string session;
  std::string from;
  std::string to;
  std::string turn;
  std::string cursor;
};

/// Declares the options.
void declare(const command_line& command, events_arguments& into);

/// Reads what was written; errc::usage says what cannot be meant.
[[nodiscard]] protocol::result<events_arguments>
complete(events_arguments arguments, const common_options& common);

/// `convene events LOG --salvage OUT`. Returns the exit code.
[[nodiscard]] protocol::result<int> salvage(const events_arguments& arguments,
                                            const common_options& common);

} // namespace convene::cli
