#include <convene/cli/commands/dialog/dialog_file.hpp>
#include <convene/cli/commands/export/export_formats.hpp>
#include <convene/cli/commands/export/export_traces.hpp>
#include <convene/cli/commands/export/shown_sessions.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/text/base64.hpp>
#include <convene/runtime/data/learning/session_samples.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <array>
#include <filesystem>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct export_format_row {
  std::string_view name;
  result<named_texts> (*make)(const format_order& order,
                              std::vector<std::string>& notes);
  bool is_text = true;
};

constexpr std::size_t exported_samples_max = 250'000;

/// Whose an event is; of those without a session, that of their file.
std::string flow_of(const host::read_item& item, const json::object& event) {
  const auto id = text_of(event, "session_id");
  return id.empty() ? "file " + item.file : std::string{id};
}

result<named_texts> make_mermaid(const format_order& order,
                                 std::vector<std::string>&) {
  const auto sessions = show_sessions(
    order.path, [](std::string_view) { return sequence_diagram{}; },
    [](sequence_diagram& diagram, const json::object& event) -> result<void> {
      diagram.add(event);
      return {};
    });
  if (!sessions)
    return fail(sessions.error());
  named_texts all;
  for (const auto& [id, diagram] : *sessions)
    all.emplace_back(file_name(id, all.size(), ".mmd"), diagram.text());
  return all;
}

/// The samples of all sessions in one text, session by session.
result<named_texts> make_learning(const format_order& order,
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
  std::string text;
  std::size_t opted_out = 0;
  for (auto& [id, session] : *sessions) {
    for (const auto& sample : session.take())
      text += sample.line + '\n';
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
  return named_texts{{"learning.jsonl", std::move(text)}};
}

/// The dialog of each session in a form of its own; one alone is a file of the
/// form's name.
template <class Make>
result<named_texts> make_chats(const format_order& order,
                               std::vector<std::string>& notes,
                               std::string_view form, Make make) {
  const auto files = dialogs_at(order.path);
  if (!files)
    return fail(files.error());
  named_texts all;
  for (const auto& file : *files) {
    const auto dialog = read_dialog(file, notes);
    if (!dialog)
      return fail(dialog.error());
    result<std::string> text = make(*dialog);
    if (!text)
      return fail(std::move(text).error());
    all.emplace_back(files->size() == 1
                       ? std::string{form} + ".json"
                       : file_name(file.parent_path().filename().string(),
                                   all.size(), ".json"),
                     *std::move(text));
  }
  return all;
}

result<named_texts> make_openai(const format_order& order,
                                std::vector<std::string>& notes) {
  return make_chats(order, notes, "openai",
                    [](const dialog& from) -> result<std::string> {
                      return pretty(to_openai(from.messages).body);
                    });
}

/// What cannot be said in that form is told by `convene dialog`, which also
/// takes an opening.
result<named_texts> make_anthropic(const format_order& order,
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

result<void> write_texts(const named_texts& texts, const std::string& out) {
  const auto folder = host::output_folder::create(out, false);
  if (!folder)
    return fail(folder.error());
  for (const auto& [name, text] : texts)
    if (auto done = host::write_file(std::filesystem::path{out} / name, text);
        !done)
      return done;
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
  result<named_texts> made;
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
  if (out.empty() && made->size() > 1 && !common.json)
    return report({.code = errc::usage,
                   .message = "has " + std::to_string(made->size())
                              + " sessions: name a folder for them with --out",
                   .file = order.path},
                  false);
  if (!out.empty())
    if (const auto done = write_texts(*made, out); !done)
      return fail(done.error());
  if (common.json) {
    json::array files;
    for (const auto& [name, text] : *made)
      files.push_back(
        {{"file", name},
         {is_text ? "text" : "base64", is_text ? text : to_base64(text)}});
    print_json(
      json::object{{"files", std::move(files)},
                   {"notes", json::array(notes.begin(), notes.end())}});
  } else if (out.empty()) {
    if (is_text)
      print_json_text(made->front().second);
    else
      print(made->front().second);
  } else if (!common.quiet) {
    print_line(out + ": " + plural(made->size(), "file"));
  }
  return exit_good;
}

} // namespace convene::cli
