#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/workflow/limits.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/runs/workflow_store.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::server {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::result;

/// Reads a definition, and says in which file it is wrong.
result<registered_workflow> read_definition(const fs::path& file) {
  const auto in_file = [&file](protocol::error why) {
    why.file = file.string();
    return protocol::fail(std::move(why));
  };
  auto text = host::read_file(file, protocol::workflow_bytes_max);
  if (!text)
    return protocol::fail(std::move(text).error());
  auto parsed = protocol::parse_json(*text);
  if (!parsed)
    return in_file(std::move(parsed).error());
  auto checked = protocol::read_workflow(*parsed);
  if (!checked)
    return in_file(std::move(checked).error());
  return registered_workflow{std::make_shared<const protocol::workflow>(
                               *std::move(checked)),
                             *std::move(parsed)};
}

result<std::vector<fs::path>> definitions_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    if (at->path().extension() == ".json")
      files.push_back(at->path());
  if (failed)
    return protocol::fail(host::file_error(errc::unreadable, folder,
                                           "cannot be read as a folder of "
                                           "workflows: "
                                             + failed.message()));
  std::ranges::sort(files);
  return files;
}

} // namespace

result<workflow_store> workflow_store::open(const fs::path& folder,
                                            fs::path kept,
                                            bool has_conversations) {
  std::error_code failed;
  host::create_private(kept, failed);
  if (failed)
    return protocol::fail(host::file_error(
      errc::io_failed, kept, "cannot be created: " + failed.message()));
  workflow_store made{std::move(kept)};
  if (folder.empty())
    return made;
  const auto files = definitions_in(folder);
  if (!files)
    return protocol::fail(files.error());
  if (files->size() > workflows_max)
    return protocol::fail(host::file_error(
      errc::limit_reached, folder,
      "has more than " + std::to_string(workflows_max) + " workflows",
      "workflows_max"));
  for (const auto& file : *files)
    made.add(file, has_conversations);
  for (const auto& [id, each] : made.all_)
    if (auto ok = made.keep(each); !ok)
      return protocol::fail(std::move(ok).error());
  return made;
}

void workflow_store::add(const fs::path& file, bool has_conversations) {
  refused_workflow refused{.file = file.filename().string()};
  auto read = read_definition(file);
  if (!read) {
    refused.why = std::move(read).error();
  } else {
    const auto& id = read->checked->definition.id;
    refused.id = id;
    refused.lacks = protocol::find_missing_capability(*read->checked,
                                                      has_conversations);
    if (refused.lacks) {
      refused.why = host::file_error(
        errc::unsupported, file,
        "needs the capability " + refused.lacks->capability + " for "
          + refused.lacks->type_id + ", which this server does not have",
        "capability_required");
      refused.why.pointer = refused.lacks->pointer;
    } else if (all_.try_emplace(id, *read).second) {
      by_digest_.emplace(read->checked->digest, read->checked);
      return;
    } else {
      refused.why = host::file_error(
        errc::invalid_document, file,
        "has the id of another workflow of the folder: " + id,
        "unique_workflow_id");
    }
  }
  refused_.push_back(std::move(refused));
}

const registered_workflow* workflow_store::find(std::string_view id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

fs::path workflow_store::file_of(const std::string& digest) const {
  return folder_ / (digest + ".json");
}

result<void> workflow_store::keep(const registered_workflow& which) const {
  const auto file = file_of(which.checked->digest);
  std::error_code failed;
  if (fs::exists(file, failed))
    return {};
  return host::write_file(file, boost::json::serialize(which.definition),
                          host::synced::yes);
}

result<std::shared_ptr<const protocol::workflow>>
workflow_store::kept(const std::string& digest) {
  if (const auto found = by_digest_.find(digest); found != by_digest_.end())
    return found->second;
  if (!protocol::is_lower_hex(digest, 64))
    return protocol::fail(errc::invalid_document,
                          "the run does not name its definition",
                          "workflow_digest");
  const auto file = file_of(digest);
  auto read = read_definition(file);
  if (!read)
    return protocol::fail(std::move(read).error());
  if (read->checked->digest != digest)
    return protocol::fail(host::file_error(errc::invalid_document, file,
                                           "is not the definition of the run",
                                           "workflow_digest"));
  return by_digest_.emplace(digest, read->checked).first->second;
}

} // namespace convene::server
