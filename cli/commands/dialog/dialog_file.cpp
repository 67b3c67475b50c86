#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::cli {

namespace fs = std::filesystem;
using namespace convene::protocol;

namespace {

constexpr json_limits written_limits{.bytes = host::written_document_bytes_max};

/// Images in a chat are texts of up to 50 MB.
constexpr json_limits chat_limits{.bytes = host::written_document_bytes_max,
                                  .string_bytes = std::size_t{128} << 20};

/// Takes off the first line, without its end.
std::string_view cut_line(std::string_view& text) {
  const auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == text.npos;
}

/// Whether the first line is a whole JSON text, and not the only one.
bool is_in_lines(std::string_view text) {
  std::string_view first;
  while (!text.empty() && is_blank(first))
    first = cut_line(text);
  return !is_blank(text) && parse_json(first, chat_limits).has_value();
}

result<void> parse_lines(std::string_view text, dialog_file& to) {
  json::array items;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = cut_line(text);
    if (is_blank(line))
      continue;
    auto item = parse_json(line, chat_limits);
    if (!item) {
      item.error().line = number;
      return fail(std::move(item.error()));
    }
    items.push_back(*std::move(item));
    to.lines.push_back(number);
  }
  to.body = std::move(items);
  return {};
}

result<std::string> read_text(const fs::path& path, fs::path& file) {
  auto found = dialog_at(path);
  if (!found)
    return fail(std::move(found).error());
  file = *std::move(found);
  return host::read_file(file, host::written_document_bytes_max);
}

} // namespace

tl::unexpected<error> dialog_file::refuse(error what) const {
  what.file = file.string();
  if (std::size_t item = 0; !lines.empty() && what.pointer.size() > 1) {
    const auto* const end = what.pointer.data() + what.pointer.size();
    const auto read = std::from_chars(what.pointer.data() + 1, end, item);
    if (read.ec == std::errc{} && item < lines.size()) {
      what.line = lines[item];
      what.column = 1;
      what.pointer = std::string{read.ptr, end};
    }
  }
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
  dialog_file read;
  const auto text = read_text(path, read.file);
  if (!text)
    return fail(text.error());
  auto body = parse_json(*text, written_limits);
  if (!body)
    return read.refuse(std::move(body.error()));
  read.body = *std::move(body);
  return read;
}

result<dialog_file> read_chat_file(const fs::path& path) {
  dialog_file read;
  const auto text = read_text(path, read.file);
  if (!text)
    return fail(text.error());
  if (is_in_lines(*text)) {
    if (auto fine = parse_lines(*text, read); !fine) {
      fine.error().file = read.file.string();
      return fail(std::move(fine.error()));
    }
    return read;
  }
  auto body = parse_json(*text, chat_limits);
  if (!body)
    return read.refuse(std::move(body.error()));
  read.body = *std::move(body);
  return read;
}

namespace {

void drop_nulls(json::object& from, const std::string& pointer,
                reading_notes& notes) {
  std::vector<std::string> names;
  for (const auto& [name, value] : from)
    if (value.is_null())
      names.emplace_back(name);
  for (const auto& name : names) {
    from.stable_erase(name);
    notes.add({pointer + '/' + name, "member", "null taken as left out"});
  }
}

/// What programs that follow the protocol's first description of dialogs leave
/// out, or write as null.
void complete(json::value& body, reading_notes& notes) {
  auto* const document = body.if_object();
  if (document == nullptr || !document->contains("dialog_id"))
    return;
  drop_nulls(*document, "", notes);
  if (auto* messages = document->if_contains("messages");
      messages != nullptr && messages->is_array())
    for (std::size_t i = 0; i < messages->get_array().size(); ++i)
      if (auto* one = messages->get_array()[i].if_object())
        drop_nulls(*one, "/messages/" + std::to_string(i), notes);
  if (document->contains("meta"))
    return;
  document->emplace("meta", json::object{{"protocol_version", "1.0.0"},
                                         {"schema_version", "1.0.0"}});
  notes.add({"", "added", "meta is missing, taken as that of 1.0.0"});
}

} // namespace

result<dialog> read_dialog(const std::filesystem::path& path,
                           std::vector<std::string>& notes,
                           json::value* as_written) {
  auto read = read_dialog_file(path);
  if (!read)
    return fail(read.error());
  if (as_written != nullptr)
    *as_written = read->body;
  reading_notes found;
  complete(read->body, found);
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
