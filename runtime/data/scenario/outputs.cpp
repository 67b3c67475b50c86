#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/append_file.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>
#include <convene/runtime/log/files/system_fault.hpp>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// A word, into where it belongs. False: there is none of the known ones.
template <class Word>
bool read_word(const json::object& from, std::string_view name, Word& into) {
  const auto found = from_word<Word>(text_of(from, name));
  if (found)
    into = *found;
  return found.has_value();
}

/// Reads what `write_settings` writes; returns the member that it does not
/// write so, if there is one.
const char* misread(const json::object& from, run_settings& how) {
  const auto instances = integer_of(from, "instances").value_or(0);
  if (instances < 1 || instances > run_settings::instances_max)
    return "instances";
  how.instances = static_cast<std::uint32_t>(instances);
  if (!read_word(from, "validation", how.validation))
    return "validation";
  if (!read_word(from, "durability", how.durability))
    return "durability";
  if (from.contains("documents")
      && !read_word(from, "documents", how.documents))
    return "documents";
  for (const auto& [name, into] : {std::pair{"virtual_time", &how.virtual_time},
                                   std::pair{"revalidate", &how.revalidate}}) {
    const auto* flag = from.if_contains(name);
    if (flag == nullptr || !flag->is_bool())
      return name;
    *into = flag->get_bool();
  }
  for (const auto& [name, into] :
       {std::pair{"snapshot_events", &how.upkeep.snapshot_events},
        std::pair{"log_keep_bytes", &how.upkeep.keep_bytes}}) {
    const auto* number = from.if_contains(name);
    if (number == nullptr)
      continue;
    boost::system::error_code unfit;
    *into = number->to_number<std::uint64_t>(unfit);
    if (unfit)
      return name;
  }
  how.aliases = object_of(from, "aliases");
  return nullptr;
}

fs::path unfinished(fs::path file) {
  return file += unfinished_ending;
}

/// Whether a folder has nothing but what a run leaves that is killed before it
/// has its run.json, which it begins before it writes anything else. Notes what
/// there is, folders last.
bool is_only_begun(const fs::path& folder, std::vector<fs::path>& leftovers) {
  bool has_mark = false;
  bool has_scenario = false;
  std::error_code failed;
  fs::directory_iterator at{folder, failed};
  for (; !failed && at != fs::directory_iterator{}; at.increment(failed)) {
    const auto name = at->path().filename();
    const auto type = at->symlink_status(failed).type();
    const bool is_file = type == fs::file_type::regular;
    const bool is_folder = type == fs::file_type::directory;
    if (is_file && name == unfinished("run.json"))
      has_mark = true;
    else if (is_file
             && (name == "scenario.json"
                 || name == unfinished("scenario.json")))
      has_scenario = true;
    else if (!is_folder
             || !(
               (name == "log" && fs::is_empty(at->path(), failed))
               || (name == "session" && is_only_begun(at->path(), leftovers))))
      return false;
    leftovers.push_back(at->path());
  }
  return !failed && (has_mark || !has_scenario);
}

tl::unexpected<error> refuse_folder(const fs::path& folder,
                                    std::string message) {
  return fail(file_error(errc::usage, folder,
                         std::move(message) + "; name another with --out",
                         "out"));
}

/// `leftovers` gets the files of a run that has only begun there.
result<void> check_contents(const fs::path& folder,
                            std::vector<fs::path>& leftovers) {
  return is_only_begun(folder, leftovers)
           ? result<void>{}
           : refuse_folder(folder, "is not empty");
}

result<void> check_kind(const fs::path& folder) {
  std::error_code failed;
  return !fs::exists(folder, failed) || fs::is_directory(folder, failed)
           ? result<void>{}
           : refuse_folder(folder, "exists and is not a folder");
}

} // namespace

result<void> output_folder::check_free(const fs::path& folder) {
  if (auto fits = check_kind(folder); !fits)
    return fits;
  std::error_code failed;
  // What is there already of the path.
  auto at = fs::absolute(folder, failed);
  while (!fs::exists(at, failed) && at.has_relative_path())
    at = at.parent_path();
  failed.clear();
  if (!fs::is_directory(at, failed))
    failed = std::make_error_code(std::errc::not_a_directory);
  else if (::access(at.c_str(), W_OK | X_OK) != 0)
    failed = {errno, std::generic_category()};
  if (failed)
    return refuse_folder(folder, "cannot be written: " + failed.message());
  std::vector<fs::path> leftovers;
  return fs::exists(folder, failed) ? check_contents(folder, leftovers)
                                    : result<void>{};
}

result<output_folder> output_folder::create(const fs::path& folder,
                                            bool several_sessions) {
  if (auto fits = check_kind(folder); !fits)
    return fail(std::move(fits).error());
  std::error_code failed;
  create_private(folder, failed);
  if (!failed && ::access(folder.c_str(), W_OK | X_OK) != 0)
    failed = {errno, std::generic_category()};
  // A place where nothing can be written is the wrong one; a disk that is full
  // or fails is not the caller's fault.
  if (failed && !is_system_fault(failed))
    return refuse_folder(folder, "cannot be written: " + failed.message());
  if (failed)
    return fail(
      file_error(errc::io_failed, folder, "cannot be created", failed));
  output_folder made{folder, several_sessions};
  // Before anybody looks whether it is empty: another run may begin in it.
  if (auto taken = made.take(); !taken)
    return fail(std::move(taken).error());
  std::vector<fs::path> leftovers;
  if (auto fits = check_contents(folder, leftovers); !fits)
    return fail(std::move(fits).error());
  for (const auto& each : leftovers)
    if (!failed)
      fs::remove(each, failed);
  if (failed)
    return refuse_folder(folder, "cannot be used: " + failed.message());
  if (several_sessions)
    if (auto done = make_folders(folder / "log"); !done)
      return fail(std::move(done).error());
  return made;
}

result<void> output_folder::take() {
  return folder_lock::take(folder_).map(
    [this](folder_lock held) { lock_ = std::move(held); });
}

result<output_folder> output_folder::open(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return fail(file_error(errc::usage, folder,
                           fs::exists(folder, failed)
                             ? "is a file; name the folder that a run wrote"
                             : "there is no such folder; name one that a run "
                               "wrote",
                           "out"));
  const bool several = fs::is_directory(folder / "log", failed);
  if (!several && !fs::exists(folder / "events.jsonl", failed)
      && !fs::exists(folder / "run.json", failed))
    return fail(file_error(errc::usage, folder,
                           "no run wrote this folder: it has neither "
                           "events.jsonl, log nor run.json",
                           "out"));
  return output_folder{folder, several};
}

fs::path output_folder::session_folder(const std::string& session_id) const {
  return several_ ? folder_ / "sessions" / session_id : folder_;
}

result<void> output_folder::write_settings(const run_settings& how) const {
  json::object all{{"instances", how.instances},
                   {"virtual_time", how.virtual_time},
                   {"validation", to_word(how.validation)},
                   {"revalidate", how.revalidate},
                   {"durability", to_word(how.durability)}};
  if (how.documents != kept_documents::ended)
    all["documents"] = to_word(how.documents);
  if (how.upkeep.snapshot_events)
    all["snapshot_events"] = *how.upkeep.snapshot_events;
  if (how.upkeep.keep_bytes)
    all["log_keep_bytes"] = *how.upkeep.keep_bytes;
  if (!how.aliases.empty())
    all["aliases"] = how.aliases;
  return write_file(folder_ / "run.json", pretty(all), synced::yes);
}

result<run_settings> output_folder::read_settings() const {
  const auto file = folder_ / "run.json";
  std::error_code failed;
  // A log that somebody put here, with nothing beside it that was begun.
  if (!fs::exists(file, failed) && (!several_ || !has_scenario()))
    return run_settings{};
  const auto read = read_json(file);
  if (!read)
    return fail(read.error());
  run_settings how;
  if (const auto* wrong = read->is_object() ? misread(read->get_object(), how)
                                            : "";
      wrong != nullptr)
    return fail({.code = errc::invalid_document,
                 .message = "is not a file that a run writes here",
                 .file = file.string(),
                 .pointer = std::string{"/"} + wrong,
                 .rule = "run_settings"});
  return how;
}

bool output_folder::has_scenario() const {
  std::error_code failed;
  return fs::exists(folder_ / "scenario.json", failed);
}

result<json::value> output_folder::read_scenario() const {
  return read_json(folder_ / "scenario.json");
}

fs::path output_folder::log() const {
  return folder_ / (several_ ? "log" : "events.jsonl");
}

result<void> output_folder::write_scenario(const json::object& scenario) const {
  std::error_code ignored;
  if (!fs::exists(folder_ / "run.json", ignored))
    if (auto begun = append_file::open(unfinished(folder_ / "run.json"));
        !begun)
      return fail(std::move(begun).error());
  return write_file(folder_ / "scenario.json", pretty(scenario), synced::yes);
}

result<void>
output_folder::write_standing(const session_documents& documents) const {
  const auto folder = session_folder(documents.session_id);
  if (auto made = make_folders(folder); !made)
    return made;
  for (const auto& each : document_files(documents))
    if (auto written = write_file(folder / each.name,
                                  [&](const text_sink& to) { each.print(to); });
        !written)
      return written;
  return {};
}

result<json::object>
output_folder::write_session(const session_documents& documents) const {
  const auto folder = session_folder(documents.session_id);
  if (auto written = write_standing(documents); !written)
    return fail(std::move(written).error());
  auto result = documents.result;
  result["documents"] = document_paths(documents, several_);
  if (auto written = write_file(folder / "result.json", pretty_object(result));
      !written)
    return fail(std::move(written).error());
  return result;
}

} // namespace convene::host
