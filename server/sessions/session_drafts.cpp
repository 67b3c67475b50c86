#include <boost/json/serialize.hpp>
#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/log/event_log/storage.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/sessions/session_drafts.hpp>
#include <spdlog/spdlog.h>

#include <set>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::fail;
using protocol::result;
using protocol::text_of;
namespace json = protocol::json;

/// What a draft's file has.
struct stored_draft {
  session_row row;
  json::object scenario;
};

result<stored_draft> read_draft(const fs::path& file) {
  const auto text = host::read_file(file);
  if (!text)
    return fail(text.error());
  const auto value = protocol::parse_json(*text);
  const auto* all = value ? value->if_object() : nullptr;
  const auto* scenario = all == nullptr ? nullptr
                                        : all->if_contains("scenario");
  if (scenario == nullptr || !scenario->is_object())
    return fail(host::file_error(errc::invalid_document, file,
                                 "is not a created session", "draft"));
  return stored_draft{{.session_id = std::string{text_of(*all, "session_id")},
                       .status = session_row::draft,
                       .mode = std::string{text_of(*all, "mode")},
                       .title = std::string{text_of(*all, "title")}},
                      scenario->get_object()};
}

std::string file_name_of(const std::string& id) {
  return protocol::percent_encoded(id) + ".json";
}

} // namespace

result<void> check_draft(const fs::path& file) {
  const auto found = read_draft(file);
  if (!found)
    return fail(found.error());
  const auto& row = found->row;
  protocol::uuid_source ids{1}; // its own id is in the scenario
  const auto spec = host::load_scenario(found->scenario, {.ids = ids});
  if (!spec)
    return fail(spec.error());
  if (file.filename() != file_name_of(row.session_id)
      || spec->collab.collab_id != row.session_id
      || to_word(spec->collab.mode) != row.mode
      || spec->collab.title != row.title)
    return fail(host::file_error(errc::invalid_document, file,
                                 "does not have the id, mode and title of its "
                                 "scenario"));
  return {};
}

fs::path session_drafts::file_of(const std::string& id) const {
  return folder_ / file_name_of(id);
}

std::vector<session_row> session_drafts::load() {
  const std::lock_guard held{mutex_};
  std::vector<session_row> rows;
  std::error_code none;
  // In the order in which they were created.
  std::set<std::pair<fs::file_time_type, fs::path>> files;
  for (const auto& each : fs::directory_iterator{folder_, none})
    if (each.path().extension() == ".json")
      files.emplace(each.last_write_time(none), each.path());
  for (const auto& [time, file] : files) {
    const auto found = read_draft(file);
    if (!found || file_of(found->row.session_id) != file) {
      spdlog::error("{} is left alone: {}", file.string(),
                    found ? "it has another session's id"
                          : to_string(found.error()));
      continue;
    }
    ids_.emplace(found->row.session_id, true);
    rows.push_back(found->row);
  }
  return rows;
}

result<void> session_drafts::add(const session_row& row,
                                 const json::object& scenario) {
  {
    const std::lock_guard held{mutex_};
    if (ids_.contains(row.session_id))
      return fail(errc::not_allowed, "a session with this id exists already",
                  "session_id");
    if (ids_.size() >= drafts_max)
      return fail(errc::limit_reached,
                  "there are " + std::to_string(drafts_max)
                    + " sessions that were not started; start or cancel some",
                  "drafts_max");
    ids_.emplace(row.session_id, false);
  }
  auto done = write(row, scenario);
  const std::lock_guard held{mutex_};
  if (done)
    ids_[row.session_id] = true;
  else
    ids_.erase(row.session_id);
  return done;
}

/// After a power loss it is there with all of its text.
result<void> session_drafts::write(const session_row& row,
                                   const json::object& scenario) const {
  std::error_code failed;
  const bool is_new = host::create_private(folder_, failed);
  if (failed)
    return fail(host::file_error(errc::io_failed, folder_,
                                 "cannot be created: " + failed.message()));
  const json::object all{{"session_id", row.session_id},
                         {"mode", row.mode},
                         {"title", row.title},
                         {"scenario", scenario}};
  const auto file = file_of(row.session_id);
  if (auto done = host::write_file(file, boost::json::serialize(all),
                                   host::synced::yes);
      !done)
    return done;
  auto& disk = host::posix_storage();
  auto named = disk.sync_folder(folder_);
  if (named && is_new)
    named = disk.sync_folder(folder_.parent_path());
  if (named)
    return {};
  fs::remove(file, failed);
  return fail(host::file_error(
    errc::io_failed, folder_,
    "cannot be synced: " + std::generic_category().message(named.error())));
}

bool session_drafts::contains(const std::string& id) const {
  const std::lock_guard held{mutex_};
  const auto found = ids_.find(id);
  return found != ids_.end() && found->second;
}

result<json::object> session_drafts::scenario_of(const std::string& id) const {
  const auto unknown = [] {
    return fail(errc::unreadable, "there is no such session",
                "session_unknown");
  };
  if (!contains(id))
    return unknown();
  auto found = read_draft(file_of(id));
  if (found)
    return std::move(found->scenario);
  if (!contains(id)) // any more
    return unknown();
  return fail(std::move(found).error());
}

bool session_drafts::remove(const std::string& id) {
  {
    const std::lock_guard held{mutex_};
    const auto found = ids_.find(id);
    if (found == ids_.end() || !found->second)
      return false;
    found->second = false;
  }
  std::error_code failed;
  fs::remove(file_of(id), failed);
  if (failed)
    spdlog::error("{} cannot be removed: {}", file_of(id).string(),
                  failed.message());
  const std::lock_guard held{mutex_};
  ids_.erase(id);
  return true;
}

} // namespace convene::server
