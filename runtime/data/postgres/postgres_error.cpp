#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/postgres/postgres_error.hpp>
#include <convene/runtime/data/postgres/postgres_library.hpp>

#include <algorithm>
#include <string>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t reason_bytes_max = 600;

/// Lines in one, for a message.
std::string in_one_line(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of("\t "), line.size()));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with("LOCATION:"))
      continue;
    made.append(made.empty() ? "" : "; ").append(line);
  }
  if (made.size() > reason_bytes_max)
    made.resize(reason_bytes_max);
  return sanitize_utf8(std::move(made));
}

/// The SQLSTATE in "FATAL:  28P01: password ...", in any language; empty: none.
std::string_view sqlstate_in(std::string_view text) {
  constexpr std::string_view mark = ":  ";
  constexpr std::size_t digits = 5;
  for (auto at = text.find(mark); at != text.npos;
       at = text.find(mark, at + 1)) {
    const auto found = text.substr(at + mark.size(), digits + 1);
    if (found.size() == digits + 1 && found.back() == ':'
        && std::ranges::all_of(found.substr(0, digits), [](char c) {
             return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
           }))
      return found.substr(0, digits);
  }
  return {};
}

/// The text without a SQLSTATE, which the error has as its value.
std::string without(std::string_view sqlstate, std::string_view text) {
  std::string made{text};
  if (sqlstate.empty())
    return made;
  const auto mark = std::string{sqlstate} + ": ";
  for (auto at = made.find(mark); at != made.npos; at = made.find(mark, at))
    made.erase(at, mark.size());
  return made;
}

bool is_one_of(std::string_view state,
               std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, state) != all.end();
}

std::string_view rule_of_connect(std::string_view state, bool needs_password) {
  if (needs_password)
    return postgres_rule::refused;
  // Without a SQLSTATE, no server answered. The classes are: connection,
  // resources, the administrator's intervention.
  if (state.empty() || state.starts_with("08") || state.starts_with("53")
      || state.starts_with("57"))
    return postgres_rule::unreachable;
  return postgres_rule::refused;
}

std::string_view rule_of_statement(std::string_view state) {
  if (state.empty() || state.starts_with("08") || state == "25P03"
      || (state.starts_with("57P") && state != "57P03"))
    return postgres_rule::lost;
  if (is_one_of(state, {"40001", "40P01"}))
    return postgres_rule::conflict;
  if (is_one_of(state, {"57014", "55P03"}))
    return postgres_rule::timeout;
  if (is_one_of(state, {"23505", "42P07", "42P06"}))
    return postgres_rule::exists;
  return postgres_rule::failed;
}

} // namespace

error postgres_error(std::string_view rule, std::string_view where,
                     std::string_view why, std::string_view sqlstate) {
  auto code = errc::io_failed;
  if (rule == postgres_rule::refused)
    code = errc::usage;
  else if (rule == postgres_rule::result_max)
    code = errc::limit_reached;
  return {.code = code,
          .message = std::string{where} + ": " + in_one_line(why),
          .rule = std::string{rule},
          .value = std::string{sqlstate}};
}

error connect_error(std::string_view where, const pg_conn* made) {
  const std::string_view why = postgres().error_message(made);
  const auto state = sqlstate_in(why);
  const bool needs_password = postgres().needs_password(made) != 0;
  auto failed = postgres_error(rule_of_connect(state, needs_password), where,
                               without(state, why), state);
  if (needs_password || state == "28P01")
    failed.message += " (set PGPASSWORD or write ~/.pgpass)";
  return failed;
}

error statement_error(std::string_view where, const pg_result* of) {
  const auto* state = postgres().result_error_field(of, PG_DIAG_SQLSTATE);
  const auto* why = postgres().result_error_field(of, PG_DIAG_MESSAGE_PRIMARY);
  const std::string_view known = state == nullptr ? "" : state;
  return postgres_error(rule_of_statement(known), where,
                        why == nullptr ? "the connection was lost" : why,
                        known);
}

} // namespace convene::host
