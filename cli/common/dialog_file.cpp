#include <convene/cli/common/dialog_file.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/runtime/files/files.hpp>

#include <system_error>
#include <utility>

namespace convene::cli {

using namespace convene::protocol;

tl::unexpected<error> dialog_file::refuse(error what) const {
  what.file = file.string();
  return fail(std::move(what));
}

result<dialog_file> read_dialog_file(const std::filesystem::path& path) {
  std::error_code ignored;
  dialog_file read{.file = std::filesystem::is_directory(path, ignored)
                             ? path / "dialog.json"
                             : path};
  auto text = host::read_file(read.file);
  if (!text)
    return fail(std::move(text.error()));
  auto body = parse_json(*text);
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
