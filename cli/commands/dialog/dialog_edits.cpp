#include <convene/cli/commands/dialog/dialog_edits.hpp>
#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/cli/commands/dialog/kept_form.hpp>
#include <convene/cli/common/event_file.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/dialog/dialog_change.hpp>
#include <convene/protocol/dialog/messages.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/folder_lock.hpp>
#include <convene/runtime/log/files/replace_file.hpp>
#include <convene/runtime/log/files/written_document.hpp>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

struct edit_arguments {
  std::string path;
  std::string events;
  std::optional<std::string> text; ///< unset: standard input has it
  std::string role = "user";
  std::optional<std::size_t> changes; ///< from 1
};

/// What is to become of a dialog.
using dialog_edit = std::function<result<changed_dialog>(
  const dialog& before, timestamp_ms at, const object_lookup& known)>;

/// The documents of a run's folder, by the names that a run gives them. What
/// has no file there is elsewhere, and is taken to exist.
class documents_beside {
public:
  explicit documents_beside(fs::path folder) : folder_(std::move(folder)) {}

  /// Reads the one of that module. Fails if it is there and is no document.
  result<void> load(module which) {
    const auto file = folder_ / (std::string{to_word(which)} + ".json");
    std::error_code ignored;
    if (!fs::exists(file, ignored))
      return {};
    const auto text = host::read_file(file, host::written_document_bytes_max);
    if (!text)
      return fail(text.error());
    auto document = parse_json(*text,
                               {.bytes = host::written_document_bytes_max});
    if (!document || !document->is_object())
      return fail(host::file_error(errc::invalid_document, file,
                                   "is not a document; correct it, or move it "
                                   "away"));
    reading_notes notes;
    if (auto taken = accept_document(*document, notes); !taken) {
      taken.error().file = file.string();
      return fail(std::move(taken.error()));
    }
    found_[which] = std::move(document->get_object());
    return {};
  }

  [[nodiscard]] object_lookup lookup() const {
    return {.find = [this](module which, std::string_view id) {
      static const json::object elsewhere;
      const auto one = found_.find(which);
      if (one == found_.end())
        return &elsewhere;
      const auto member = std::string{to_word(which)} + "_id";
      return text_of(one->second, member) == id ? &one->second : nullptr;
    }};
  }

private:
  fs::path folder_;
  std::map<module, json::object> found_;
};

result<changed_dialog> edit_file(const edit_arguments& arguments,
                                 const dialog_edit& edit, fs::path& file) {
  std::error_code failed;
  auto found = dialog_at(arguments.path);
  if (!found)
    return fail(std::move(found).error());
  file = *std::move(found);
  const auto real = fs::canonical(file, failed);
  if (failed)
    return fail(host::file_error(errc::unreadable, file,
                                 "cannot be read: " + failed.message()));
  // Held from reading to writing: of two changes at once none is lost.
  const auto held = host::folder_lock::take(real.parent_path());
  if (!held)
    return fail(held.error());
  json::value as_written;
  std::vector<std::string> notes;
  const auto before = read_dialog(file, notes, &as_written);
  if (!before)
    return fail(before.error());
  documents_beside beside{real.parent_path()};
  for (const auto which : {module::context, module::confirm})
    if (auto loaded = beside.load(which); !loaded)
      return fail(std::move(loaded.error()));
  const auto at = now_ms();
  auto changed = edit(*before, at, beside.lookup());
  if (!changed) {
    changed.error().file = file.string();
    return changed;
  }
  // One in the form of the first descriptions stays in it.
  if (notes.empty())
    as_written = encode(changed->after);
  else
    carry_changes(encode(*before), encode(changed->after), as_written);
  const auto text = pretty(as_written);
  if (text.size() > host::written_document_bytes_max)
    return fail(
      host::file_error(errc::limit_reached, file,
                       "the document would be larger than "
                         + std::to_string(host::written_document_bytes_max)
                         + " bytes; continue in another dialog of its thread",
                       "document_bytes_max"));
  std::optional<event_file> events;
  if (!arguments.events.empty()) {
    auto opened = event_file::open(arguments.events);
    if (!opened)
      return fail(std::move(opened.error()));
    events = *std::move(opened);
  }
  if (auto done = host::replace_file(file, text); !done)
    return fail(std::move(done.error()));
  if (!events)
    return changed;
  if (auto done = events->append(changed->events, at); !done) {
    done.error().message += "; the dialog has been changed";
    return fail(std::move(done.error()));
  }
  return changed;
}

result<int> change(const edit_arguments& arguments, const dialog_edit& edit,
                   std::string_view what, const common_options& common) {
  fs::path file;
  const auto changed = edit_file(arguments, edit, file);
  if (!changed)
    return fail(changed.error());
  const auto& after = changed->after;
  if (!common.json) {
    if (!common.quiet)
      print_line(file.string() + ": " + std::string{what} + ", "
                 + plural(after.messages.size(), "message"));
    return exit_good;
  }
  json::array events;
  for (const auto& one : changed->events)
    events.push_back({{"event_type", one.type}, {"event_family", one.family}});
  print_json(json::object{{"file", sanitize_utf8(file.string())},
                          {"dialog_id", after.dialog_id},
                          {"status", to_word(after.status)},
                          {"messages", after.messages.size()},
                          {"events", std::move(events)}});
  return exit_good;
}

/// What stands on standard input, without its last line end.
result<std::string> read_message() {
  std::string text;
  std::array<char, 1 << 16> block{};
  while (text.size() <= message_bytes_max + 1) {
    const auto count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(errc::usage, "standard input cannot be read ("
                                 + std::generic_category().message(errno)
                                 + "); give the text as an argument");
    if (count == 0)
      break;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

result<int> append(const edit_arguments& arguments,
                   const common_options& common) {
  auto text = arguments.text ? result<std::string>{*arguments.text}
                             : read_message();
  if (!text)
    return fail(text.error());
  new_message message{.role = *from_word<message_role>(arguments.role),
                      .content = *std::move(text),
                      .source = "cli"};
  if (arguments.changes)
    message.changes = *arguments.changes - 1;
  const auto edit = [&](const dialog& before, timestamp_ms at,
                        const object_lookup& known) {
    message.at = at;
    return append_message(before, message, known);
  };
  return change(arguments, edit, "message of " + arguments.role + " appended",
                common);
}

template <dialog_status to>
result<int>
move(const edit_arguments& arguments, const common_options& common) {
  const auto edit = [](const dialog& before, timestamp_ms at,
                       const object_lookup& known) {
    return move_dialog(before, to, at, known);
  };
  return change(arguments, edit, to_word(to), common);
}

void add_document(const command_line& command, edit_arguments& arguments) {
  command.add("DOC", arguments.path).required();
}

void add_events(const command_line& command, edit_arguments& arguments) {
  command.add("--events", arguments.events);
}

command_line add_append(const command_line& dialog) {
  return dialog.add<edit_arguments>(
    "append", append,
    [](const command_line& command, edit_arguments& arguments) {
      add_document(command, arguments);
      command.add("TEXT", arguments.text);
      constexpr auto roles = words_of<message_role>;
      command.add("--role", arguments.role,
                  one_of({roles.begin(), roles.end()}));
      command.add("--changes", arguments.changes, whole_number(1));
      add_events(command, arguments);
    });
}

template <dialog_status to>
command_line add_move(const command_line& dialog, std::string name) {
  return dialog.add<edit_arguments>(std::move(name), move<to>,
                                    [](const command_line& command,
                                       edit_arguments& arguments) {
                                      add_document(command, arguments);
                                      add_events(command, arguments);
                                    });
}

} // namespace

std::vector<command_line> add_dialog_edits(const command_line& dialog) {
  using enum dialog_status;
  return {add_append(dialog), add_move<paused>(dialog, "pause"),
          add_move<active>(dialog, "resume"),
          add_move<completed>(dialog, "complete"),
          add_move<cancelled>(dialog, "cancel")};
}

} // namespace convene::cli
