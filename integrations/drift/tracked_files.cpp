#include <convene/integrations/drift/tracked_files.hpp>
#include <convene/protocol/boundary/conformance.hpp>
#include <convene/protocol/drift/drift_json.hpp>
#include <convene/protocol/drift/writable_path.hpp>
#include <convene/protocol/graph/graph_fold.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>
#include <sys/stat.h>

#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

timestamp_ms written_at(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || status.st_mtim.tv_sec < 0)
    return 0;
  return status.st_mtim.tv_sec * 1'000 + status.st_mtim.tv_nsec / 1'000'000;
}

/// One resource of type `file`.
void add_resource(tracked_files& to, const json::object& resource,
                  std::string_view session, timestamp_ms at,
                  const std::string& pointer) {
  std::string path{text_of(resource, "resource_id")};
  if (const auto why = why_not_written(path); !why.empty()) {
    to.errors.push_back(
      {.code = errc::invalid_document,
       .message = "the path " + quote(path) + ' ' + std::string{why},
       .pointer = pointer + "/resource_id",
       .rule = "path"});
    return;
  }
  artifact made{.path = path,
                .node = to_string(resource_key(session, resource)),
                .at = at};
  if (!resource.contains("deleted")) {
    const auto* const value = resource.if_contains("value");
    const auto* const text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr) {
      to.skipped.emplace_back(path, "its value is not text");
      return;
    }
    made.expected
      = {.exists = true, .sha256 = hex_digest_of(*text), .bytes = text->size()};
    to.contents.insert_or_assign(path, std::string{*text});
  }
  to.artifacts.push_back(std::move(made));
}

result<tracked_files> of_workspace(const json::value& document,
                                   timestamp_ms at) {
  if (auto known = boundary::check_conformance(document, "convene-workspace");
      !known)
    return fail(std::move(known).error());
  tracked_files made;
  const auto& workspace = document.get_object();
  const auto& resources = workspace.at("resources").get_array();
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const auto& each = resources[i].get_object();
    if (text_of(each, "resource_type") == "file")
      add_resource(made, each, text_of(workspace, "session_id"), at,
                   "/resources/" + std::to_string(i));
  }
  return made;
}

result<tracked_files> of_baseline(const json::object& document) {
  auto read = read_baseline(document);
  if (!read)
    return fail(std::move(read).error());
  return tracked_files{.artifacts = std::move(read->artifacts),
                       .is_baseline = true,
                       .whole = read->whole,
                       .folder = std::move(read->folder),
                       .excluded = std::move(read->excluded),
                       .commit = std::move(read->commit)};
}

result<tracked_files> of_document(const json::value& document,
                                  timestamp_ms at) {
  const auto* const object = document.if_object();
  if (object != nullptr && is_baseline(*object))
    return of_baseline(*object);
  if (object != nullptr && object->contains("resources"))
    return of_workspace(document, at);
  return fail(errc::invalid_document,
              "is neither the workspace of a run nor a record of files, as "
              "--record writes it",
              "drift_format");
}

} // namespace

result<tracked_files> load_tracked(const fs::path& path) {
  std::error_code ignored;
  const auto file = fs::is_directory(path, ignored) ? path / "workspace.json"
                                                    : path;
  if (file != path && !fs::exists(file, ignored))
    return fail(file_error(errc::unreadable, path,
                           "has no workspace.json: give the folder of a run "
                           "whose participants wrote files, of a run of many "
                           "sessions one of those in sessions/, or a record "
                           "of files"));
  const auto at = written_at(file);
  auto made = read_json(file).and_then(
    [&](const json::value& document) { return of_document(document, at); });
  if (!made)
    return fail(in_file(std::move(made).error(), file));
  if (!made->folder.empty())
    made->folder = (file.parent_path() / made->folder).string();
  for (auto& each : made->errors)
    each.file = file.string();
  return made;
}

} // namespace convene::host
