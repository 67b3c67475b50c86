#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/scenario/outputs.hpp>

#include <algorithm>
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
  std::error_code failed;
  const auto refuse = [&folder](std::string message) {
    return fail({.code = errc::usage,
                 .message = std::move(message),
                 .file = folder.string(),
                 .rule = "out"});
  };
  if (fs::exists(folder, failed)) {
    if (!fs::is_directory(folder, failed))
      return refuse("exists and is not a folder; name another with --out");
    if (!fs::is_empty(folder, failed) && !failed)
      return refuse("is not empty; name another folder with --out");
  }
  if (failed)
    return fail({.code = errc::io_failed,
                 .message = "cannot be used: " + failed.message(),
                 .file = folder.string()});
  output_folder made{folder, several_sessions};
  if (auto done = create_folder(several_sessions ? folder / "log" : folder);
      !done)
    return fail(std::move(done).error());
  return made;
}

result<output_folder> output_folder::open(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return fail({.code = errc::usage,
                 .message = "there is no such folder; name one that a run "
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

bool output_folder::has_result(const std::string& session_id) const {
  const auto folder = session_folder(session_id);
  const auto read
    = read_file(folder / "result.json").and_then([](const std::string& text) {
        return parse_json(text);
      });
  if (!read || !read->is_object())
    return false;
  // What a loss of power left empty has to be written again.
  const auto& documents = object_of(read->get_object(), "documents");
  return !documents.empty()
         && std::ranges::all_of(documents, [&](const auto& each) {
              const auto* path = each.value().if_string();
              std::error_code failed;
              if (path == nullptr)
                return false;
              const auto file = folder / std::string_view{*path};
              return fs::is_directory(file, failed)
                     || (fs::file_size(file, failed) != 0 && !failed);
            });
}

result<void> output_folder::write_settings(const run_settings& how) const {
  json::object all{{"instances", how.instances},
                   {"virtual_time", how.virtual_time},
                   {"validation", to_word(how.validation)},
                   {"revalidate", how.revalidate},
                   {"durability", to_word(how.durability)}};
  if (how.upkeep.snapshot_events)
    all["snapshot_events"] = *how.upkeep.snapshot_events;
  if (how.upkeep.keep_bytes)
    all["log_keep_bytes"] = *how.upkeep.keep_bytes;
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
                 .message = "is not what a run writes here",
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
  const std::string up = several_ ? "../../" : "";
  json::object paths{{"scenario", up + "scenario.json"},
                     {"events", several_ ? up + "log" : "events.jsonl"}};

  const std::pair<std::string_view, const json::object*> files[]
    = {{"collab", &documents.collab},
       {"dialog", &documents.dialog},
       {"context", &documents.context},
       {"plan", documents.plan ? &*documents.plan : nullptr},
       {"trace", &documents.trace},
       {"confirm", documents.confirm ? &*documents.confirm : nullptr},
       {"workspace", documents.workspace ? &*documents.workspace : nullptr}};
  for (const auto& [name, document] : files) {
    if (document == nullptr)
      continue;
    const auto file = std::string{name} + ".json";
    if (auto written = write_file(folder / file, pretty(*document)); !written)
      return fail(std::move(written).error());
    paths.emplace(name, file);
  }
  auto result = documents.result;
  result["documents"] = std::move(paths);
  if (auto written = write_file(folder / "result.json", pretty(result));
      !written)
    return fail(std::move(written).error());
  return result;
}

} // namespace convene::host
