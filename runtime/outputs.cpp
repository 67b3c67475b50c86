#include <convene/protocol/json_text.hpp>
#include <convene/runtime/files.hpp>
#include <convene/runtime/outputs.hpp>

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

fs::path output_folder::log() const {
  return folder_ / (several_ ? "log" : "events.jsonl");
}

result<void> output_folder::write_scenario(const json::object& scenario) const {
  return write_file(folder_ / "scenario.json", pretty(scenario));
}

result<json::object>
output_folder::write_session(const session_documents& documents) const {
  const auto folder = several_ ? folder_ / "sessions" / documents.session_id
                               : folder_;
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
