#include <convene/session/snapshot/loader.hpp>

namespace convene::session {

void loader::refuse(std::string_view name, std::string why) const {
  std::string pointer;
  for (const auto part : path_)
    protocol::append_to_pointer(pointer, part);
  if (path_.empty() || path_.back() != name)
    protocol::append_to_pointer(pointer, name);
  throw bad_snapshot{
    {.code = protocol::errc::invalid_document,
     .message = "this is not a snapshot of the session: " + std::move(why),
     .pointer = std::move(pointer),
     .rule = "snapshot"}};
}

void loader::who(std::string_view name, participant_list& what) {
  std::vector<participant_index> all;
  who(name, all);
  what.clear();
  for (const auto one : all) {
    if (what.contains(one))
      refuse(name, "has a participant twice");
    what.push_back(one);
  }
}

void loader::check_someone(std::string_view name,
                           participant_index what) const {
  if (what >= participants_)
    refuse(name, "there is no such participant");
}

void loader::check_time(std::string_view name,
                        protocol::timestamp_ms what) const {
  if (what < 0 || what > protocol::timestamp_max + 2 * duration_ms_max)
    refuse(name, "is not a time");
}

const json::value& loader::member(std::string_view name) {
  const auto* found = from_->if_contains(name);
  if (found == nullptr)
    refuse(name, "is missing");
  ++seen_;
  return *found;
}

const json::array& loader::array_of(const json::value& from,
                                    std::string_view name) const {
  const auto* found = from.if_array();
  if (found == nullptr)
    refuse(name, "is not a list");
  return *found;
}

const json::array& loader::tuple_in(const json::value& from,
                                    std::size_t size) const {
  const auto& found = array_in(from);
  if (found.size() != size)
    wrong("has an element of another size");
  return found;
}

std::string_view loader::text_in(const json::value& from) const {
  const auto* found = from.if_string();
  if (found == nullptr)
    wrong("is not text");
  return *found;
}

void loader::load(const json::value& from, dialog_window& to) {
  const auto& place = tuple_in(from, 2);
  std::size_t offset = 0;
  std::size_t bytes = 0;
  load(place[0], offset);
  load(place[1], bytes);
  auto found = talk_ == nullptr ? std::nullopt : talk_->part(offset, bytes);
  if (!found)
    wrong("the talk has no such part");
  to = *std::move(found);
}

void loader::load(const json::value& from, dialog_record& to) {
  to = {};
  for (const auto& each : array_in(from)) {
    const auto& parts = tuple_in(each, 3);
    said entry;
    load(parts[0], entry.participant);
    load(parts[1], entry.at);
    entry.content = text_in(parts[2]);
    if (entry.participant != said::nobody)
      check_someone("talk", entry.participant);
    check_time("talk", entry.at);
    to.add(entry);
  }
  talk_ = &to;
}

void loader::load(const json::value& from, workspace_view& to) {
  if (from.is_object()) {
    auto found = workspace_view::from_json(from);
    if (!found)
      wrong(found.error().message);
    to = *std::move(found);
    return;
  }
  std::uint64_t revision = 0;
  load(from, revision);
  const auto found = views_.find(revision);
  if (found == views_.end())
    wrong("the workspace cannot be shown as it was then");
  to = found->second;
}

void loader::load(const json::value& from, workspace& to) {
  to = {};
  auto wanted = views_wanted_.begin();
  const auto note_view = [&] {
    if (wanted != views_wanted_.end() && *wanted == to.view().revision())
      views_.emplace(*wanted++, to.view());
  };
  note_view();
  std::vector<resource_version> versions;
  load_all(from, versions);
  for (auto& one : versions) {
    if (!one || !one->key)
      wrong("a version is missing");
    if (auto added = to.restore(std::move(one)); !added)
      wrong(added.error().message);
    note_view();
  }
}

void loader::load(const json::value& from, plan_book& to) {
  to = {};
  steps_ = 0;
  if (from.is_null())
    return;
  const auto& parts = tuple_in(from, 2);
  protocol::plan document;
  load(parts[0], document);
  if (auto good = protocol::check_plan(document); !good)
    wrong(good.error().message);
  std::vector<step_state> states;
  load(parts[1], states);
  plan_book made{std::move(document)};
  if (!made.restore(std::move(states)))
    wrong("its steps cannot have gone so far");
  to = std::move(made);
  steps_ = to.size();
}

} // namespace convene::session
