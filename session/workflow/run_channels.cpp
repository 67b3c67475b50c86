#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/session/workflow/run_channels.hpp>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace convene::session {
namespace {

using namespace protocol;

/// Whether a channel has one value, which writes replace or change.
bool is_single(channel_reducer reducer) {
  return reducer == channel_reducer::replace || reducer == channel_reducer::last
         || reducer == channel_reducer::merge
         || reducer == channel_reducer::counter;
}

/// The member that names an entry of a channel that has each name once.
std::string_view name_in(channel_reducer reducer, const json::value& entry) {
  const auto* const object = entry.if_object();
  return object == nullptr
           ? std::string_view{}
           : text_of(*object, reducer == channel_reducer::votes ? "userId"
                                                                : "messageId");
}

/// Absent: JSON has no such number.
std::optional<json::value> counted(const json::value& before,
                                   const json::value& more) {
  constexpr std::int64_t exact_max = (std::int64_t{1} << 53) - 1;
  const auto is_exact = [](const json::value& number) {
    return number.is_int64() && std::abs(number.get_int64()) <= exact_max;
  };
  if (is_exact(before) && is_exact(more))
    if (const auto sum = before.get_int64() + more.get_int64();
        std::abs(sum) <= exact_max)
      return sum;
  const auto sum = before.to_number<double>() + more.to_number<double>();
  return std::isfinite(sum) ? std::optional<json::value>{sum} : std::nullopt;
}

/// What a write makes of a single value.
json::value changed(channel_reducer reducer, json::value& before,
                    const json::value& write) {
  if (reducer == channel_reducer::counter)
    return counted(before, write).value_or(before);
  if (reducer != channel_reducer::merge)
    return write;
  for (const auto& [name, value] : write.get_object())
    before.get_object().insert_or_assign(name, value);
  return std::move(before);
}

} // namespace

result<void> run_channels::check_value(channel_reducer reducer,
                                       const json::value& value) {
  if (reducer == channel_reducer::message && name_in(reducer, value).empty())
    return fail(errc::invalid_document,
                "a message has a messageId, a text that is not empty",
                "channel_message");
  if (reducer == channel_reducer::votes && name_in(reducer, value).empty())
    return fail(errc::invalid_document,
                "a vote has a userId, a text that is not empty",
                "channel_vote");
  if (reducer == channel_reducer::merge && !value.is_object())
    return fail(errc::invalid_document,
                "a channel of reducer merge takes objects", "channel_merge");
  if (reducer == channel_reducer::counter && !value.is_number())
    return fail(errc::invalid_document, "a counter takes numbers",
                "channel_counter");
  return {};
}

result<void> run_channels::check(const definitions& all, const run_channels& as,
                                 std::string_view name,
                                 const json::value& value) {
  const auto known = all.find(name);
  if (known == all.end())
    return fail(errc::invalid_document,
                "the workflow has no channel " + quote(name), "known_channel");
  const auto reducer = known->second.reducer;
  if (auto fits = check_value(reducer, value); !fits)
    return fits;
  if (reducer == channel_reducer::counter
      && !counted(as.value_of(known->second, name), value))
    return fail(errc::invalid_document, "the counter would be no number",
                "channel_counter");
  const auto found = as.all_.find(name);
  if (!is_single(reducer) && !known->second.max_size && found != as.all_.end()
      && found->second.entries.size()
           >= static_cast<std::size_t>(channel_entries_max))
    return fail(errc::limit_reached,
                "a channel has at most " + std::to_string(channel_entries_max)
                  + " entries",
                "channel_entries_max");
  return {};
}

void run_channels::write(const channel_definition& as, std::string_view name,
                         const json::value& value, timestamp_ms at) {
  auto& to = all_[std::string{name}];
  auto& entries = to.entries;
  if (as.reducer == channel_reducer::message
      && !to.message_ids.emplace(name_in(as.reducer, value)).second)
    return;
  if (as.reducer == channel_reducer::votes)
    std::erase_if(entries, [&](const entry& each) {
      return name_in(as.reducer, each.value) == name_in(as.reducer, value);
    });
  if (is_single(as.reducer) && !entries.empty())
    entries.front().value = changed(as.reducer, entries.front().value, value);
  else
    entries.push_back({value, at});
  if (as.ttl_ms)
    while (at - entries.front().at >= *as.ttl_ms)
      entries.pop_front();
  if (as.max_size)
    while (entries.size() > static_cast<std::size_t>(*as.max_size))
      entries.pop_front();
}

json::value run_channels::value_of(const channel_definition& as,
                                   std::string_view name) const {
  const auto found = all_.find(name);
  if (is_single(as.reducer)) {
    if (found != all_.end())
      return found->second.entries.back().value;
    return as.default_value ? as.default_value->held
                            : unwritten_value(as.reducer);
  }
  json::array made;
  if (found == all_.end())
    return made;
  for (const auto& each : found->second.entries)
    if (as.ttl_ms)
      made.push_back(json::object{{"value", each.value}, {"_ts", each.at}});
    else
      made.push_back(each.value);
  return made;
}

} // namespace convene::session
