#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/state_rules.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace convene::host {
namespace {

using namespace convene::protocol;

result<void> too_much(const char* what, std::size_t most, const char* rule) {
  return fail(errc::limit_reached,
              std::string{what} + " at most " + std::to_string(most), rule);
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

result<void> refuse_name(const char* rule, std::string_view name,
                         const char* why) {
  return fail({.code = errc::usage,
               .message = why,
               .rule = rule,
               .value = shorten(sanitize_utf8(std::string{name}))});
}

result<void> check_name(const char* rule, std::string_view name) {
  if (name.empty())
    return refuse_name(rule, name, "it is empty");
  if (std::ranges::any_of(name, is_control) || !valid_utf8(name))
    return refuse_name(rule, name,
                       "it is not UTF-8 without control characters");
  return {};
}

/// A prefix, or the key that others come after: may be empty, or end inside a
/// character.
result<void> check_place(std::string_view place) {
  if (place.size() > state_key_bytes_max)
    return too_much("a key has bytes:", state_key_bytes_max, "key_bytes_max");
  if (std::ranges::any_of(place, is_control))
    return refuse_name("key", place, "it has control characters");
  return {};
}

result<void> check_value(std::string_view of, std::string_view value) {
  if (value.size() > state_value_bytes_max)
    return too_much("a value has bytes:", state_value_bytes_max,
                    "value_bytes_max");
  const auto refuse = [&](const std::string& why) {
    return fail(errc::invalid_json,
                "the value of " + quote(of) + " is not JSON text: " + why,
                "value");
  };
  if (value.starts_with("\xEF\xBB\xBF"))
    return refuse("it begins with a byte order mark");
  const auto read = parse_json(value);
  return read ? result<void>{} : refuse(to_string(read.error()));
}

result<void> check_page(std::size_t limit) {
  if (limit == 0)
    return fail(errc::usage, "a page has at least 1 item", "page_items_max");
  if (limit > state_page_items_max)
    return too_much("a page has items:", state_page_items_max,
                    "page_items_max");
  return {};
}

result<void> check_change(const state_change& change) {
  if (is_event_key(change.key))
    return fail({.code = errc::not_allowed,
                 .message = "events are appended, and never set or removed",
                 .rule = "append_only",
                 .value = shorten(change.key)});
  return check_key(change.key).and_then([&]() -> result<void> {
    return change.value ? check_value(change.key, *change.value)
                        : result<void>{};
  });
}

std::size_t bytes_in(const state_change& change) noexcept {
  return change.key.size() + (change.value ? change.value->size() : 0);
}

/// Ids that may be missing.
result<void> check_optional_id(std::string_view id) {
  return id.empty() ? result<void>{} : check_id(id);
}

} // namespace

result<void> check_key(std::string_view key) {
  if (key.size() > state_key_bytes_max)
    return too_much("a key has bytes:", state_key_bytes_max, "key_bytes_max");
  return check_name("key", key);
}

result<void> check_id(std::string_view id) {
  if (id.size() > state_id_bytes_max)
    return too_much("an id has bytes:", state_id_bytes_max, "id_bytes_max");
  if (id.find('/') != id.npos)
    return refuse_name("id", id, "it has a slash");
  return check_name("id", id);
}

result<void> check_scan(const state_scan& which) {
  return check_page(which.limit)
    .and_then([&] { return check_place(which.prefix); })
    .and_then([&] { return check_place(which.after); });
}

result<void> check_query(const state_event_query& which) {
  return check_page(which.limit)
    .and_then([&] { return check_optional_id(which.trace_id); })
    .and_then([&] { return check_optional_id(which.context_id); });
}

result<void> check_event(const state_event& event) {
  return check_id(event.event_id)
    .and_then([&] { return check_optional_id(event.trace_id); })
    .and_then([&] { return check_optional_id(event.context_id); })
    .and_then([&] { return check_value(event.event_id, event.value); });
}

result<void> check_transaction(const state_transaction& what) {
  if (what.expected.size() + what.changes.size() + what.events.size()
      > state_transaction_items_max)
    return too_much("a transaction has items:", state_transaction_items_max,
                    "transaction_items_max");
  if (bytes_of(what) > state_transaction_bytes_max)
    return too_much("a transaction has bytes:", state_transaction_bytes_max,
                    "transaction_bytes_max");
  for (const auto& each : what.expected)
    if (auto fit = check_key(each.key); !fit)
      return fit;
  for (const auto& each : what.changes)
    if (auto fit = check_change(each); !fit)
      return fit;
  for (const auto& each : what.events)
    if (auto fit = check_event(each); !fit)
      return fit;
  return {};
}

result<void> check_record(const state_record& what) {
  if (const auto* entry = std::get_if<state_entry>(&what))
    return check_change({entry->key, entry->value});
  return check_event(std::get<state_event>(what));
}

std::size_t bytes_of(const state_event& event) noexcept {
  return event.event_id.size() + event.trace_id.size() + event.context_id.size()
         + event.value.size();
}

std::size_t bytes_of(const state_transaction& what) noexcept {
  std::size_t all = 0;
  for (const auto* part : {&what.expected, &what.changes})
    for (const auto& each : *part)
      all += bytes_in(each);
  for (const auto& each : what.events)
    all += bytes_of(each);
  return all;
}

std::int64_t place_of(std::uint64_t number) noexcept {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(
    std::min(number, static_cast<std::uint64_t>(most)));
}

error not_as_expected(std::string_view key) {
  return {.code = errc::not_allowed,
          .message = "the value has changed since it was read; read it again",
          .rule = "transaction_conflict",
          .value = shorten(key)};
}

error event_exists(std::string_view event_id) {
  return {.code = errc::not_allowed,
          .message = "an event of this id is stored, and events never change",
          .rule = "event_exists",
          .value = shorten(event_id)};
}

error snapshot_exists(std::string_view name) {
  return {.code = errc::not_allowed,
          .message = "there is a snapshot of this name",
          .rule = "snapshot_exists",
          .value = shorten(name)};
}

error snapshot_missing(std::string_view name) {
  return {.code = errc::not_allowed,
          .message = "there is no snapshot of this name",
          .rule = "snapshot_missing",
          .value = shorten(name)};
}

error snapshots_full() {
  return {.code = errc::limit_reached,
          .message = "there are " + std::to_string(state_snapshots_max)
                     + " snapshots, as many as may be; drop one",
          .rule = "snapshots_max"};
}

error not_empty() {
  return {.code = errc::not_allowed,
          .message = "what is imported needs an empty store",
          .rule = "store_not_empty"};
}

} // namespace convene::host
