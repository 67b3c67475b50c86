#include <convene/protocol/json/members.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/session/workflow/run_channels.hpp>

namespace convene::session {
namespace {

using namespace protocol;

bool is_single(channel_reducer reducer) {
  return reducer == channel_reducer::replace
         || reducer == channel_reducer::last;
}

std::string_view message_id_of(const json::value& message) {
  const auto* const object = message.if_object();
  return object == nullptr ? std::string_view{} : text_of(*object, "messageId");
}

} // namespace

result<void> run_channels::check(const definitions& all, const run_channels& as,
                                 std::string_view name,
                                 const json::value& value) {
  const auto known = all.find(name);
  if (known == all.end())
    return fail(errc::invalid_document,
                "the workflow has no channel " + quote(name), "known_channel");
  const auto reducer = known->second.reducer;
  if (reducer == channel_reducer::message && message_id_of(value).empty())
    return fail(errc::invalid_document,
                "a message has a messageId, a text that is not empty",
                "channel_message");
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
  if (is_single(as.reducer))
    entries.clear();
  if (as.reducer == channel_reducer::message
      && !to.message_ids.emplace(message_id_of(value)).second)
    return;
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
    return as.default_value ? as.default_value->held : nullptr;
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
