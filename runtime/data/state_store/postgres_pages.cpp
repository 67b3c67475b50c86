#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>
#include <convene/runtime/data/state_store/postgres_pages.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace {

// A page's statement asks for one row more than the page has, and for the sum
// of the bytes before each row: beyond the page's bytes there is no value.

/// Rows of key and value.
state_page page_of(const postgres_rows& rows, std::size_t limit) {
  state_page page;
  for (std::size_t n = 0; n < rows.size() && !page.more; ++n) {
    page.more = n == limit || rows.is_null(n, 1);
    if (!page.more)
      page.entries.push_back(
        {std::string{rows.text(n, 0)}, std::string{rows.text(n, 1)}});
  }
  return page;
}

constexpr auto page_bytes = static_cast<std::int64_t>(state_page_bytes_max);

std::int64_t with_one_more(std::size_t limit) {
  return static_cast<std::int64_t>(limit) + 1;
}

/// Up to where it is UTF-8: keys are, and a place among them may not be.
std::string_view valid_part(std::string_view text) {
  while (!valid_utf8(text))
    text.remove_suffix(1);
  return text;
}

/// What no key with this prefix comes after.
std::string last_with(std::string_view prefix) {
  std::string made{prefix};
  while (made.size() < state_key_bytes_max)
    made += "\xF4\x8F\xBF\xBF"; // the last character
  return made;
}

/// Keys of `prefix` after `after`, both of which are UTF-8.
result<state_page> read_valid(postgres_connection& in, std::string_view prefix,
                              std::string_view after, std::size_t limit) {
  return in
    .query("SELECT key, CASE WHEN upto - size < $5 THEN value END FROM ("
           "SELECT key, value, size, sum(size) OVER (ORDER BY key) AS upto "
           "FROM (SELECT key, value, octet_length(key) + octet_length(value) "
           "AS size FROM convene.state WHERE key >= $1 AND key <= $2 AND key > "
           "$3 ORDER BY key LIMIT $4) AS page) AS summed ORDER BY key",
           {prefix, last_with(prefix), after, with_one_more(limit), page_bytes})
    .map([&](const postgres_rows& rows) { return page_of(rows, limit); });
}

state_event_page events_of(const postgres_rows& rows, std::size_t limit) {
  state_event_page page;
  for (std::size_t n = 0; n < rows.size() && !page.more; ++n) {
    page.more = n == limit || rows.is_null(n, 4);
    if (!page.more)
      page.events.push_back(
        {static_cast<std::uint64_t>(rows.number(n, 0)),
         {std::string{rows.text(n, 1)}, std::string{rows.text(n, 2)},
          std::string{rows.text(n, 3)}, std::string{rows.text(n, 4)}}});
  }
  return page;
}

} // namespace

result<state_page> read_state(postgres_connection& in,
                              const state_scan& which) {
  const auto prefix = valid_part(which.prefix);
  std::string after{valid_part(which.after)};
  if (prefix.size() == which.prefix.size()
      && after.size() == which.after.size())
    return read_valid(in, prefix, after, which.limit);
  // A place inside of a character, or none at all: the rows tell.
  state_page page;
  std::size_t bytes = 0;
  for (bool more = true; more && !page.more;) {
    auto some = read_valid(in, prefix, after, which.limit);
    if (!some)
      return some;
    for (auto& each : some->entries) {
      after = each.key;
      if (!each.key.starts_with(which.prefix) || each.key <= which.after)
        continue;
      page.more = page.entries.size() == which.limit
                  || bytes >= state_page_bytes_max;
      if (page.more)
        break;
      bytes += each.key.size() + each.value.size();
      page.entries.push_back(std::move(each));
    }
    more = some->more;
  }
  return page;
}

result<state_page> read_entries(postgres_connection& in,
                                const std::string& after) {
  return in
    .query("SELECT key, CASE WHEN upto - size < $3 THEN value END FROM ("
           "SELECT key, value, size, sum(size) OVER (ORDER BY key) AS upto "
           "FROM (SELECT key, value, octet_length(key) + octet_length(value) "
           "AS size FROM convene.state_entry WHERE key > $1 ORDER BY key LIMIT "
           "$2) AS page) AS summed ORDER BY key",
           {after, with_one_more(state_page_items_max), page_bytes})
    .map([](const postgres_rows& rows) {
      return page_of(rows, state_page_items_max);
    });
}

result<state_event_page> read_events(postgres_connection& in,
                                     const state_event_query& which) {
  const bool by_trace = !which.trace_id.empty();
  const bool by_context = !which.context_id.empty();
  std::vector<postgres_parameter> with{place_of(which.after),
                                       with_one_more(which.limit), page_bytes};
  if (by_trace)
    with.emplace_back(which.trace_id);
  if (by_context)
    with.emplace_back(which.context_id);
// Each has its index, so each is a statement of its own.
#define CONVENE_EVENTS_WHERE(condition)                                        \
  "SELECT number, event_id, trace_id, context_id, CASE WHEN upto - size < $3 " \
  "THEN value END FROM (SELECT *, sum(size) OVER (ORDER BY number) AS upto "   \
  "FROM (SELECT *, octet_length(event_id) + octet_length(value) + "            \
  "coalesce(octet_length(trace_id), 0) + coalesce(octet_length(context_id), "  \
  "0) AS size FROM convene.state_event WHERE number > $1" condition            \
  " ORDER BY number LIMIT $2) AS page) AS summed ORDER BY number"
  const char* const sql
    = by_trace && by_context
        ? CONVENE_EVENTS_WHERE(" AND trace_id = $4 AND context_id = $5")
      : by_trace   ? CONVENE_EVENTS_WHERE(" AND trace_id = $4")
      : by_context ? CONVENE_EVENTS_WHERE(" AND context_id = $4")
                   : CONVENE_EVENTS_WHERE("");
#undef CONVENE_EVENTS_WHERE
  return in.query(sql, with).map(
    [&](const postgres_rows& rows) { return events_of(rows, which.limit); });
}

} // namespace convene::host
