#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/cli/commands/export/export_formats.hpp>
#include <convene/cli/commands/export/export_output.hpp>
#include <convene/cli/commands/export/export_traces.hpp>
#include <convene/cli/commands/export/shown_sessions.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/spool.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <array>
#include <filesystem>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct export_format_row {
  std::string_view name;
  result<made_files> (*make)(const format_order& order,
                             std::vector<std::string>& notes);
  bool is_text = true;
};

constexpr std::size_t exported_samples_max = 250'000;

/// Whose an event is; of those without a session, that of their file.
std::string flow_of(const host::read_item& item, const json::object& event) {
  const auto id = text_of(event, "session_id");
  return id.empty() ? "file " + item.file : std::string{id};
}

result<made_files> make_mermaid(const format_order& order,
                                std::vector<std::string>&) {
  const auto sessions = show_sessions(
    order.path, [](std::string_view) { return sequence_diagram{}; },
    [](sequence_diagram& diagram, const json::object& event) -> result<void> {
      diagram.add(event);
      return {};
    });
  if (!sessions)
    return fail(sessions.error());
  made_files all;
  for (const auto& [id, diagram] : *sessions) {
    all.begin(file_name(id, all.files().size(), ".mmd"));
    if (auto done = all.write(diagram.text()); !done)
      return fail(std::move(done).error());
  }
  return all;
}

/// The samples of all sessions in one text, session by session.
result<made_files> make_learning(const format_order& order,
                                 std::vector<std::string>& notes) {
  const auto path = host::is_agent_folder(order.path)
                      ? host::session_folder_of(order.path).string()
                      : order.path;
  std::size_t samples = 0;
  auto sessions = show_sessions(
    path,
    [&](std::string_view) {
      return host::session_samples{{.scrub = order.scrub}};
    },
    [&](host::session_samples& session,
        const json::object& event) -> result<void> {
      const auto before = session.size();
      session.feed(event);
      samples += session.size() - before;
      if (samples <= exported_samples_max)
        return {};
      return fail({.code = errc::limit_reached,
                   .message = "gives over "
                              + std::to_string(exported_samples_max)
                              + " learning samples",
                   .file = order.path,
                   .rule = "exported_samples_max"});
    },
    flow_of);
  if (!sessions)
    return fail(sessions.error());
  made_files made;
  made.begin("learning.jsonl");
  std::size_t opted_out = 0;
  for (auto& [id, session] : *sessions) {
    for (const auto& sample : session.take())
      if (auto done = made.write(sample.line + '\n'); !done)
        return fail(std::move(done).error());
    opted_out += session.is_opted_out() ? 1 : 0;
    if (session.fault())
      notes.push_back(to_string(*session.fault()));
    if (session.left_out() != 0)
      notes.push_back(plural(session.left_out(), "learning sample")
                      + " of one session left out");
  }
  if (opted_out != 0)
    notes.push_back(plural(opted_out, "session")
                    + " without learning samples: meta.cross_cutting of the "
                      "documents does not name learning-feedback");
  return made;
}

/// The dialog of each session in a form of its own; one alone is a file of the
/// form's name.
template <class Make>
result<made_files> make_chats(const format_order& order,
                              std::vector<std::string>& notes,
                              std::string_view form, Make make) {
  const auto files = dialogs_at(order.path);
  if (!files)
    return fail(files.error());
  made_files all;
  for (const auto& file : *files) {
    const auto dialog = read_dialog(file, notes);
    if (!dialog)
      return fail(dialog.error());
    const result<std::string> text = make(*dialog);
    if (!text)
      return fail(text.error());
    all.begin(files->size() == 1
                ? std::string{form} + ".json"
                : file_name(file.parent_path().filename().string(),
                            all.files().size(), ".json"));
    if (auto done = all.write(*text); !done)
      return fail(std::move(done).error());
  }
  return all;
}

result<made_files> make_openai(const format_order& order,
                               std::vector<std::string>& notes) {
  return make_chats(order, notes, "openai",
                    [](const dialog& from) -> result<std::string> {
                      return pretty(to_openai(from.messages).body);
                    });
}

/// What cannot be said in that form is told by `convene dialog`, which also
/// takes an opening.
result<made_files> make_anthropic(const format_order& order,
                                  std::vector<std::string>& notes) {
  return make_chats(order, notes, "anthropic",
                    [&notes](const dialog& from) -> result<std::string> {
                      auto made = to_anthropic(from.messages);
                      if (!made)
                        return fail(std::move(made).error());
                      notes.insert(notes.end(), made->notes.begin(),
                                   made->notes.end());
                      return pretty(made->body);
                    });
}

/// One line for each format.
constexpr std::array rows{export_format_row{"mermaid", make_mermaid},
                          export_format_row{"otlp", export_otlp},
                          export_format_row{"perfetto", export_perfetto, false},
                          export_format_row{"cloudevents", export_cloudevents},
                          export_format_row{"learning", make_learning},
                          export_format_row{"openai", make_openai},
                          export_format_row{"anthropic", make_anthropic}};

result<void> write_files(const made_files& made, const std::string& out) {
  const auto folder = host::output_folder::create(out, false);
  if (!folder)
    return fail(folder.error());
  for (const auto& file : made.files())
    if (auto done = host::write_new_file(std::filesystem::path{out} / file.name,
                                         [&](const auto& take) {
                                           return made.read(file, take);
                                         });
        !done)
      return done;
  return {};
}

/// To the folder that was asked for, and to standard output.
result<void> write(const made_files& made, bool is_text,
                   const std::vector<std::string>& notes,
                   const std::string& out, const common_options& common) {
  if (!out.empty())
    if (auto done = write_files(made, out); !done)
      return done;
  if (common.json)
    return print_made_json(made, is_text, notes);
  if (out.empty())
    return made.read(made.files().front(), is_text ? print_json_text : print);
  if (!common.quiet)
    print_line(out + ": " + plural(made.files().size(), "file"));
  return {};
}

} // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const auto& row : rows)
    names.emplace_back(row.name);
  return names;
}

result<int> export_format(const format_order& order,
                          const common_options& common) {
  const auto& out = order.out;
  result<made_files> made;
  std::vector<std::string> notes;
  bool is_text = true;
  for (const auto& row : rows)
    if (row.name == order.format) {
      made = row.make(order, notes);
      is_text = row.is_text;
    }
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(note);
  if (!made)
    return fail(made.error());
  if (out.empty() && made->files().size() > 1 && !common.json)
    return report({.code = errc::usage,
                   .message = "has " + std::to_string(made->files().size())
                              + " sessions: name a folder for them with --out",
                   .file = order.path},
                  false);
  if (const auto done = write(*made, is_text, notes, out, common); !done)
    return fail(done.error());
  return exit_good;
}

} // namespace convene::cli
