#include <convene/cli/commands/dialog/dialog_edits.hpp>
#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/cli/commands/dialog/transcript.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/dialog/context_window.hpp>
#include <convene/protocol/dialog/messages.hpp>
#include <convene/protocol/dialog/threads.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/alias_table.hpp>

#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct dialog_arguments {
  std::vector<std::string> paths;
  std::string format; ///< empty: a transcript, or with --json the document
  std::string from = "native";
  std::optional<std::size_t> window;
  std::string opening;
  std::string thread;
  std::string context_id;
};

/// A chat as a new dialog of its own, in the context that the user names.
result<dialog> as_dialog(const dialog_file& file,
                         const dialog_arguments& arguments,
                         std::vector<std::string>& notes) {
  auto ids = uuid_source::from_entropy();
  auto made = start_dialog({.dialog_id = to_string(ids.next()),
                            .context_id = arguments.context_id.empty()
                                            ? to_string(ids.next())
                                            : arguments.context_id,
                            .at = now_ms()});
  const auto read = arguments.from == "openai" ? from_openai : from_anthropic;
  auto chat = read(file.body, *made.started_at);
  if (!chat)
    return file.refuse(std::move(chat.error()));
  for (auto& one : chat->messages)
    if (auto added = add_message(made, std::move(one)); !added) {
      added.error().file = file.file.string();
      return fail(std::move(added.error()));
    }
  if (!chat->note.empty())
    notes.push_back(file.file.string() + ": " + chat->note);
  return made;
}

/// The Dialog of a document or of a chat.
result<dialog> load(const std::string& path, const dialog_arguments& arguments,
                    std::vector<std::string>& notes) {
  if (arguments.from == "native")
    return read_dialog(path, notes);
  const auto read = read_chat_file(path);
  if (!read)
    return fail(read.error());
  return as_dialog(*read, arguments, notes);
}

/// The dialogs named, or those of one thread among them, as one: the first
/// one's document with the messages of all.
result<dialog> join(std::vector<dialog> dialogs, const std::string& thread) {
  std::vector<const dialog*> chosen;
  const thread_index index{dialogs};
  if (thread.empty()) {
    for (const auto& one : dialogs)
      chosen.push_back(&one);
  } else {
    auto found = index.find(thread);
    if (found.empty()) // as it was before it was read
      found = index.find(strict_id(thread));
    chosen.assign(found.begin(), found.end());
  }
  if (chosen.empty())
    return fail(errc::usage, "none of these dialogs continues the thread \""
                               + shorten(thread) + '"');
  auto joined = *chosen.front();
  for (std::size_t at = 1; at < chosen.size(); ++at)
    std::ranges::copy(chosen[at]->messages,
                      std::back_inserter(joined.messages));
  return joined;
}

result<chat> convert(const dialog& what, const dialog_arguments& arguments) {
  if (arguments.format == "openai")
    return to_openai(what.messages);
  if (arguments.format == "anthropic")
    return to_anthropic(what.messages, arguments.opening);
  return chat{.body = encode(what).as_object()};
}

result<int> show(const dialog_arguments& arguments,
                 const common_options& common) {
  if (arguments.paths.empty())
    return fail(errc::usage, "DOC is required; see convene dialog --help");
  std::vector<dialog> dialogs;
  std::vector<std::string> notes;
  for (const auto& path : arguments.paths) {
    auto one = load(path, arguments, notes);
    if (!one)
      return fail(one.error());
    dialogs.push_back(std::move(*one));
  }
  auto joined = join(std::move(dialogs), arguments.thread);
  if (!joined)
    return fail(joined.error());
  std::size_t left_out = 0;
  if (arguments.window) {
    auto shown = window(*joined, *arguments.window);
    if (!shown)
      return fail(shown.error());
    joined->messages = std::move(shown->messages);
    left_out = shown->left_out;
  }
  auto made = convert(*joined, arguments);
  if (!made)
    return fail(made.error());
  made->notes.insert(made->notes.begin(),
                     std::make_move_iterator(notes.begin()),
                     std::make_move_iterator(notes.end()));
  const bool is_read = arguments.format.empty() && arguments.from == "native";
  if (!common.json || is_read) {
    if (left_out != 0)
      made->notes.push_back(plural(left_out, "older message")
                            + " did not fit the window");
    for (const auto& note : made->notes)
      if (!common.quiet)
        print_note(note);
    if (is_read && !common.json)
      print(transcript(*joined));
    else
      print_json(made->body);
    return exit_good;
  }
  std::size_t tokens = 0;
  for (const auto& one : joined->messages)
    tokens += estimate_tokens(one);
  print_json(json::object{
    {"format", arguments.format.empty() ? "native" : arguments.format},
    {"body", std::move(made->body)},
    {"tokens_estimated", tokens},
    {"left_out", left_out},
    {"notes", json::array(made->notes.begin(), made->notes.end())}});
  return exit_good;
}

} // namespace

void add_dialog(const command_line& program) {
  const auto command = program.add<dialog_arguments>(
    "dialog", show,
    [](const command_line& dialog, dialog_arguments& arguments) {
      dialog.add("DOC", arguments.paths);
      dialog.add("--format", arguments.format,
                 one_of({"native", "openai", "anthropic"}));
      dialog.add("--from", arguments.from,
                 one_of({"native", "openai", "anthropic"}));
      dialog.add("--window", arguments.window, whole_number(1));
      dialog.add("--opening", arguments.opening);
      dialog.add("--thread", arguments.thread);
      dialog.add("--context-id", arguments.context_id);
    });
  for (const auto& edit : add_dialog_edits(command))
    for (const auto* own : {"DOC", "--format", "--from", "--window",
                            "--opening", "--thread", "--context-id"})
      edit.excludes(command[own]);
}

} // namespace convene::cli
