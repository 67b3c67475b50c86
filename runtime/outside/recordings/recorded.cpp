#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/recordings/known_recordings.hpp>
#include <convene/runtime/outside/recordings/recorded.hpp>
#include <convene/runtime/outside/recordings/recorded_behaviour.hpp>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace convene::host {

using protocol::fail;
using protocol::result;

void describe(auto& v, protocol::of<recorded_settings> auto& x) {
  v.ignored("type");
  v.member("log", x.log, protocol::not_empty);
  v.defaulted("session", x.session, protocol::not_empty);
}

namespace {

/// The log's fault, said where the scenario names it.
protocol::error in_entry(protocol::error why, const recorded_settings& from,
                         std::string_view pointer) {
  if (why.file.empty())
    why.file = from.log;
  why.message = "the recording cannot be used: " + why.file
                + (why.line == 0 ? "" : ':' + std::to_string(why.line)) + ": "
                + why.message;
  why.code = protocol::errc::invalid_document;
  why.pointer = std::string{pointer} + "/log";
  why.value.clear();
  why.file.clear();
  why.line = 0;
  why.column = 0;
  if (why.rule.empty())
    why.rule = "recording_unreadable";
  return why;
}

/// A scenario comes from a stranger, perhaps by way of a log or a run's folder:
/// what it names is not even looked for.
result<std::shared_ptr<const recordings>>
allowed_recordings(const recorded_settings& from,
                   const std::set<std::string, std::less<>>& participants,
                   const permissions& allow, std::string_view pointer) {
  const std::filesystem::path log{from.log};
  if (!allow.may_read(log))
    return fail(
      {.code = protocol::errc::activation_refused,
       .message
       = "reading the recording is not allowed; to allow it, add --allow read="
         + log.parent_path().string(),
       .pointer = std::string{pointer} + "/log",
       .rule = "permission_needed",
       .value = protocol::shorten(from.log)});
  auto read = known_recordings(from, participants);
  if (!read)
    return fail(in_entry(std::move(read).error(), from, pointer));
  return read;
}

struct wanted_log {
  std::string pointer; ///< the first entry that names it
  std::set<std::string, std::less<>> participants;
};

} // namespace

result<recorded_settings>
read_recorded_settings(const boost::json::value& config,
                       std::string_view pointer) {
  protocol::reading r;
  const protocol::place at{.name = pointer};
  recorded_settings made;
  if (!read(r, config, at, protocol::anything, made))
    return fail(*std::move(r.fault));
  return made;
}

result<void> check_recorded(const session::spec& what,
                            const permissions& allow) {
  std::map<recorded_settings, wanted_log> logs;
  for (const auto& who : what.collab.participants) {
    const auto [key, config] = actors::entry_for(what, who.participant_id);
    const auto* entry = config == nullptr ? nullptr : config->if_object();
    if (entry == nullptr || protocol::text_of(*entry, "type") != recorded_type)
      continue;
    std::string pointer = "/behaviours";
    protocol::append_to_pointer(pointer, key);
    auto settings = read_recorded_settings(*config, pointer);
    if (!settings)
      return fail(std::move(settings).error());
    auto& wanted = logs[*std::move(settings)];
    if (wanted.participants.empty())
      wanted.pointer = std::move(pointer);
    wanted.participants.insert(who.participant_id);
  }
  for (const auto& [settings, wanted] : logs)
    if (auto read = allowed_recordings(settings, wanted.participants, allow,
                                       wanted.pointer);
        !read)
      return fail(std::move(read).error());
  return {};
}

result<std::unique_ptr<actors::behaviour>>
make_recorded(const boost::json::value& config,
              const actors::behaviour_setup& whose, std::string_view pointer,
              const permissions& allow) {
  const auto settings = read_recorded_settings(config, pointer);
  if (!settings)
    return fail(settings.error());
  const auto all = allowed_recordings(*settings, {whose.participant_id}, allow,
                                      pointer);
  if (!all)
    return fail(all.error());
  const auto found = (*all)->find(whose.participant_id);
  return std::make_unique<recorded_behaviour>(
    found == (*all)->end() ? nullptr : found->second);
}

} // namespace convene::host
