// What a run has written into its folder already.

#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/codec/page_writer.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// Nothing: there is no readable result.
std::optional<json::object> read_result(const fs::path& session_folder) {
  auto read = read_json(session_folder / "result.json");
  if (!read || !read->is_object())
    return std::nullopt;
  return std::move(read->get_object());
}

/// Why what is there for a result is none. Nothing: it is not written yet, or a
/// loss of power left it empty.
std::optional<error> damage_of(const fs::path& session_folder) {
  const auto file = session_folder / "result.json";
  std::error_code failed;
  if (!fs::exists(fs::symlink_status(file, failed))
      || (fs::is_regular_file(file, failed)
          && fs::file_size(file, failed) == 0))
    return std::nullopt;
  const auto read = read_json(file);
  if (read && read->is_object())
    return std::nullopt; // written just now
  return file_error(errc::invalid_document, file,
                    read ? "must hold a JSON object" : read.error().message,
                    "document_matches_log");
}

json::object tree_of(const json::object& document) {
  return document;
}

json::object tree_of(const session::session_dialog& document) {
  return std::move(encode(make_dialog(document)).as_object());
}

json::object tree_of(const session_trace& document) {
  return std::move(write(document).as_object());
}

/// Whether the document is written as this text.
bool is_text_of(const document_file& document, std::string_view text) {
  bool is_same = true;
  document.print([&](std::string_view piece) {
    is_same = is_same && text.starts_with(piece);
    if (is_same)
      text.remove_prefix(piece.size());
  });
  return is_same && text.empty();
}

/// What is wrong with the file that should have this document. As convene has
/// written it, it is the same to the byte; any other layout will do.
std::optional<std::string> fault_of(const fs::path& file,
                                    const document_file& document) {
  const auto read = read_file(file, written_document_bytes_max);
  if (!read)
    return read.error().message;
  if (is_text_of(document, *read))
    return std::nullopt;
  const json_limits limits{.bytes = written_document_bytes_max};
  const auto found = parse_json(*read, limits);
  if (!found)
    return found.error().message;
  if (parse_json(document.text(), limits) == *found)
    return std::nullopt;
  return "is not what the log makes";
}

} // namespace

void document_file::print(const text_sink& to) const {
  std::visit([&](const auto* what) { print_page(*what, to); }, content);
}

std::string document_file::text() const {
  std::string all;
  print([&all](std::string_view piece) { all += piece; });
  return all;
}

json::object document_file::object() const {
  return std::visit([](const auto* what) { return tree_of(*what); }, content);
}

std::vector<document_file> document_files(const session_documents& documents) {
  std::vector<document_file> all{{"collab.json", &documents.collab},
                                 {"dialog.json", &documents.dialog},
                                 {"context.json", &documents.context}};
  if (documents.plan)
    all.push_back({"plan.json", &*documents.plan});
  all.push_back({"trace.json", &documents.trace});
  if (documents.confirm)
    all.push_back({"confirm.json", &*documents.confirm});
  const auto add_each = [&all](const std::string& name, const auto& list) {
    std::size_t number = 0;
    for (const auto& each : list)
      all.push_back({name + std::to_string(++number) + ".json", &each});
  };
  add_each("extension-", documents.extensions);
  add_each("extension-confirm-", documents.extension_confirms);
  if (documents.core)
    all.push_back({"core.json", &*documents.core});
  if (documents.network)
    all.push_back({"network.json", &*documents.network});
  if (documents.workspace)
    all.push_back({"workspace.json", &*documents.workspace});
  return all;
}

json::object document_paths(const session_documents& documents,
                            bool several_sessions) {
  const std::string up = several_sessions ? "../../" : "";
  json::object paths{{"scenario", up + "scenario.json"},
                     {"events",
                      several_sessions ? up + "log" : "events.jsonl"}};
  for (const auto& each : document_files(documents))
    paths.emplace(each.name.substr(0, each.name.find('.')), each.name);
  return paths;
}

bool output_folder::has_result(const std::string& session_id) const {
  const auto folder = session_folder(session_id);
  const auto found = read_result(folder);
  if (!found)
    return false;
  // What a loss of power left empty has to be written again.
  const auto& documents = object_of(*found, "documents");
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

std::vector<std::string>
output_folder::sessions_with_result(std::vector<error>* damaged) const {
  std::vector<std::string> ids;
  const auto look_at = [&](const fs::path& folder) {
    if (const auto found = read_result(folder)) {
      if (auto id = text_of(*found, "session_id"); !id.empty())
        ids.emplace_back(id);
    } else if (damaged != nullptr) {
      if (auto what = damage_of(folder))
        damaged->push_back(*std::move(what));
    }
  };
  if (!several_) {
    look_at(folder_);
    return ids;
  }
  std::error_code failed;
  fs::directory_iterator at{folder_ / "sessions", failed};
  for (; !failed && at != fs::directory_iterator{}; at.increment(failed))
    look_at(at->path());
  std::ranges::sort(ids);
  return ids;
}

std::vector<error>
output_folder::differences(const session_documents& documents) const {
  std::vector<error> found;
  const auto folder = session_folder(documents.session_id);
  auto result = read_result(folder);
  if (!result)
    return found;
  const auto note = [&](const std::string& name, std::string message) {
    found.push_back(file_error(errc::invalid_document, folder / name,
                               std::move(message), "document_matches_log"));
  };
  auto expected = documents.result;
  expected["documents"] = document_paths(documents, several_);
  // Earlier versions did not count failures.
  if (!result->contains("turns_failed"))
    for (const auto* name : {"turns_failed", "turns_timed_out"})
      expected.erase(name);
  // Nor refused writes, which are among the errors.
  if (!result->contains("writes_refused")) {
    expected.erase("writes_refused");
    expected.erase("errors");
    result->erase("errors");
  }
  const auto as_read = parse_json(pretty_object(expected));
  if (!as_read || *as_read != *result)
    note("result.json", "is not what the log makes");
  for (const auto& each : document_files(documents))
    if (auto fault = fault_of(folder / each.name, each))
      note(each.name, *std::move(fault));
  return found;
}

} // namespace convene::host
