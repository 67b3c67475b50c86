#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace convene::cli {

namespace fs = std::filesystem;
using namespace convene::protocol;

tl::unexpected<error> dialog_file::refuse(error what) const {
  what.file = file.string();
  return fail(std::move(what));
}

result<std::vector<fs::path>> dialogs_at(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed))
    return std::vector{path};
  const auto sessions = path / "sessions";
  if (fs::exists(path / "dialog.json", failed)
      || !fs::is_directory(sessions, failed))
    return std::vector{path / "dialog.json"};
  std::vector<fs::path> all;
  for (fs::directory_iterator at{sessions, failed}, end; !failed && at != end;
       at.increment(failed)) {
    std::error_code ignored;
    if (!fs::exists(at->path() / "dialog.json", ignored))
      continue;
    if (all.size() == dialogs_max)
      return fail(
        host::file_error(errc::limit_reached, sessions,
                         "has over " + std::to_string(dialogs_max)
                           + " sessions with a dialog: name the folder of one",
                         "dialogs_max"));
    all.push_back(at->path() / "dialog.json");
  }
  if (failed)
    return fail(host::file_error(errc::unreadable, sessions,
                                 "cannot be read: " + failed.message()));
  if (all.empty())
    return fail(host::file_error(errc::unreadable, sessions,
                                 "has no session with a dialog.json"));
  std::ranges::sort(all);
  return all;
}

result<fs::path> dialog_at(const fs::path& path) {
  auto all = dialogs_at(path);
  if (!all)
    return fail(std::move(all).error());
  if (all->size() > 1)
    return fail(
      host::file_error(errc::usage, path,
                       "has the dialogs of " + std::to_string(all->size())
                         + " sessions: name the folder of one, such as "
                         + all->front().parent_path().string(),
                       "dialog"));
  return std::move(all->front());
}

result<dialog_file> read_dialog_file(const fs::path& path) {
  auto file = dialog_at(path);
  if (!file)
    return fail(std::move(file).error());
  dialog_file read{.file = *std::move(file)};
  auto text = host::read_file(read.file, host::written_document_bytes_max);
  if (!text)
    return fail(std::move(text.error()));
  auto body = parse_json(*text, {.bytes = host::written_document_bytes_max});
  if (!body)
    return read.refuse(std::move(body.error()));
  read.body = *std::move(body);
  return read;
}

result<dialog> read_dialog(const std::filesystem::path& path,
                           std::vector<std::string>& notes) {
  auto read = read_dialog_file(path);
  if (!read)
    return fail(read.error());
  reading_notes found;
  if (auto taken = accept_document(read->body, found); !taken)
    return read->refuse(std::move(taken.error()));
  for (auto& note : found.first)
    notes.push_back(to_string(error{.message = std::move(note.message),
                                    .file = read->file.string(),
                                    .pointer = std::move(note.pointer)}));
  if (const auto* object = read->body.if_object())
    if (auto known = check_protocol_version(*object); !known)
      return read->refuse(std::move(known.error()));
  auto made = decode<dialog>(read->body);
  if (!made)
    return read->refuse(std::move(made.error()));
  return made;
}

} // namespace convene::cli
