#pragma once

#include <convene/protocol/invariants/check.hpp>
#include <convene/protocol/invariants/session_rules.hpp>
#include <convene/runtime/data/documents/check_text.hpp>
#include <convene/runtime/data/scenario/locate.hpp>

#include <functional>

namespace convene::host {

/// Sessions, turns and broadcasts that may be open among the events of a Trace.
inline constexpr std::size_t trace_open_max = 10'000;

/// The invariants to check, and what they need to know about other files.
struct invariant_rules {
  const protocol::rule_set* rules = nullptr;
  const protocol::related_documents* related = nullptr;
  /// For the log that the lines belong to; null: they are not a log.
  protocol::session_rules* sessions = nullptr;
  std::size_t lines_before = 0; ///< lines of the log in earlier files
};

/// The place in the text of the value that a JSON pointer names.
using place_finder = std::function<text_place(std::string_view pointer)>;

/// Checks one document by all rules for its kind. `schema` is the full name.
void check_invariants(const invariant_rules& rules, std::string_view schema,
                      const protocol::json::value& document,
                      const place_finder& find, file_verdict& out);

/// Checks one line of a log by the rules for sessions. Fails if a bound is
/// reached.
[[nodiscard]] protocol::result<void>
feed_session_rules(const invariant_rules& rules,
                   const protocol::json::value& event, std::size_t line,
                   file_verdict& out);

/// Adds findings for what is still open at the log's end, unless it rests.
void finish_session_rules(const invariant_rules& rules, std::size_t last_line,
                          bool rests, file_verdict& out);

} // namespace convene::host
