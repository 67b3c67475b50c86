#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/system_fault.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

result<void> create_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return fail({.code = errc::io_failed,
                 .message = "cannot be created: " + failed.message(),
                 .file = folder.string()});
  return {};
}

} // namespace

result<output_folder> output_folder::create(const fs::path& folder,
                                            bool several_sessions) {
  const auto refuse = [&folder](std::string message) {
    return fail({.code = errc::usage,
                 .message = std::move(message) + "; name another with --out",
                 .file = folder.string(),
                 .rule = "out"});
  };
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed))
    return refuse("exists and is not a folder");
  fs::create_directories(folder, failed);
  if (!failed && ::access(folder.c_str(), W_OK | X_OK) != 0)
    failed = {errno, std::generic_category()};
  // A place where nothing can be written is the wrong one; a disk that is full
  // or fails is not the caller's fault.
  if (failed && !is_system_fault(failed))
    return refuse("cannot be written: " + failed.message());
  if (failed)
    return fail({.code = errc::io_failed,
                 .message = "cannot be created: " + failed.message(),
                 .file = folder.string()});
  output_folder made{folder, several_sessions};
  // Before anybody looks whether it is empty: another run may begin in it.
  if (auto taken = made.take(); !taken)
    return fail(std::move(taken).error());
  const bool empty = fs::is_empty(folder, failed);
  if (failed)
    return refuse("cannot be used: " + failed.message());
  if (!empty)
    return refuse("is not empty");
  if (several_sessions)
    if (auto done = create_folder(folder / "log"); !done)
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
    return fail({.code = errc::usage,
                 .message = fs::exists(folder, failed)
                              ? "is a file; name the folder that a run wrote"
                              : "there is no such folder; name one that a run "
                                "wrote",
                 .file = folder.string(),
                 .rule = "out"});
  const bool several = fs::is_directory(folder / "log", failed);
  if (!several && !fs::exists(folder / "events.jsonl", failed)
      && !fs::exists(folder / "run.json", failed))
    return fail({.code = errc::usage,
                 .message = "no run wrote this folder: it has neither "
                            "events.jsonl, log nor run.json",
                 .file = folder.string(),
                 .rule = "out"});
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
  auto read = read_file(file).and_then(
    [](const std::string& text) { return parse_json(text); });
  if (!read) {
    auto why = std::move(read).error();
    why.file = file.string();
    return fail(std::move(why));
  }
  const auto refuse = [&file](const char* member) {
    return fail({.code = errc::invalid_document,
                 .message = "is not a file that a run writes here",
                 .file = file.string(),
                 .pointer = std::string{"/"} + member,
                 .rule = "run_settings"});
  };
  if (!read->is_object())
    return refuse("");
  const auto& from = read->get_object();
  run_settings how;
  const auto instances = integer_of(from, "instances").value_or(0);
  if (instances < 1 || instances > run_settings::instances_max)
    return refuse("instances");
  how.instances = static_cast<std::uint32_t>(instances);
  const auto level = from_word<validation_level>(text_of(from, "validation"));
  if (!level)
    return refuse("validation");
  how.validation = *level;
  const auto kept = from_word<durability>(text_of(from, "durability"));
  if (!kept)
    return refuse("durability");
  how.durability = *kept;
  if (from.contains("documents")) {
    const auto which = from_word<kept_documents>(text_of(from, "documents"));
    if (!which)
      return refuse("documents");
    how.documents = *which;
  }
  for (const auto& [name, into] : {std::pair{"virtual_time", &how.virtual_time},
                                   std::pair{"revalidate", &how.revalidate}}) {
    const auto* flag = from.if_contains(name);
    if (flag == nullptr || !flag->is_bool())
      return refuse(name);
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
      return refuse(name);
  }
  how.aliases = object_of(from, "aliases");
  return how;
}

bool output_folder::has_scenario() const {
  std::error_code failed;
  return fs::exists(folder_ / "scenario.json", failed);
}

result<json::value> output_folder::read_scenario() const {
  const auto file = folder_ / "scenario.json";
  auto read = read_file(file).and_then(
    [](const std::string& text) { return parse_json(text); });
  if (!read && read.error().file.empty()) {
    auto why = std::move(read).error();
    why.file = file.string();
    return fail(std::move(why));
  }
  return read;
}

fs::path output_folder::log() const {
  return folder_ / (several_ ? "log" : "events.jsonl");
}

result<void> output_folder::write_scenario(const json::object& scenario) const {
  return write_file(folder_ / "scenario.json", pretty(scenario), synced::yes);
}

result<json::object>
output_folder::write_session(const session_documents& documents) const {
  const auto folder = session_folder(documents.session_id);
  if (auto made = create_folder(folder); !made)
    return fail(std::move(made).error());
  for (const auto& [name, document] : document_files(documents))
    if (auto written = write_file(folder / name, pretty(*document)); !written)
      return fail(std::move(written).error());
  auto result = documents.result;
  result["documents"] = document_paths(documents, several_);
  if (auto written = write_file(folder / "result.json", pretty(result));
      !written)
    return fail(std::move(written).error());
  return result;
}

} // namespace convene::host
