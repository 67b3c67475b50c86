#include <convene/cli/common/dialog_file.hpp>
#include <convene/cli/common/export_formats.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/documents/sources.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/scenario/outputs.hpp>

#include <array>
#include <filesystem>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// What a format makes of a path: texts, and the names of files for them.
using named_texts = std::vector<std::pair<std::string, std::string>>;

struct export_format_row {
  std::string_view name;
  result<named_texts> (*make)(const std::string& path,
                              std::vector<std::string>& notes);
};

/// Sessions of one log that are drawn.
constexpr std::size_t diagrams_max = 10'000;

result<named_texts> make_mermaid(const std::string& path,
                                 std::vector<std::string>&) {
  const auto sources = host::export_sources(path);
  if (!sources)
    return fail(sources.error());
  std::vector<std::pair<std::string, sequence_diagram>> sessions;
  std::map<std::string, std::size_t, std::less<>> places;
  for (const auto& source : *sources) {
    if (!source.is_events)
      continue;
    const auto read = host::visit_items(
      source, [&](const host::read_item& item) -> result<void> {
        const auto* event = item.value.if_object();
        const auto id = event == nullptr ? std::string_view{}
                                         : text_of(*event, "session_id");
        if (id.empty())
          return {};
        auto place = places.find(id);
        if (place == places.end()) {
          if (sessions.size() == diagrams_max)
            return fail(errc::limit_reached,
                        "has over " + std::to_string(diagrams_max)
                          + " sessions",
                        "diagrams_max");
          place = places.emplace(id, sessions.size()).first;
          sessions.emplace_back(std::string{id}, sequence_diagram{});
        }
        sessions[place->second].second.add(*event);
        return {};
      });
    if (!read)
      return fail(read.error());
  }
  if (sessions.empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events of a session",
                 .file = path});
  named_texts all;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    // A session's id may be anything; a file's name may not.
    const auto& [id, diagram] = sessions[i];
    all.emplace_back((is_uuid_v4(id) ? id : std::to_string(i + 1)) + ".mmd",
                     diagram.text());
  }
  return all;
}

result<named_texts> make_openai(const std::string& path,
                                std::vector<std::string>& notes) {
  const auto dialog = read_dialog(path, notes);
  if (!dialog)
    return fail(dialog.error());
  return named_texts{{"openai.json", pretty(to_openai(dialog->messages).body)}};
}

/// What cannot be said in that form is told by `convene dialog`, which also
/// takes an opening.
result<named_texts> make_anthropic(const std::string& path,
                                   std::vector<std::string>& notes) {
  const auto dialog = read_dialog(path, notes);
  if (!dialog)
    return fail(dialog.error());
  auto made = to_anthropic(dialog->messages);
  if (!made)
    return fail(std::move(made.error()));
  notes.insert(notes.end(), made->notes.begin(), made->notes.end());
  return named_texts{{"anthropic.json", pretty(made->body)}};
}

/// One line for each format.
constexpr std::array rows{export_format_row{"mermaid", make_mermaid},
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
  for (const auto& row : rows)
    names.emplace_back(row.name);
  return names;
}

int export_format(const std::string& format, const std::string& path,
                  const std::string& out, const common_options& common) {
  result<named_texts> made;
  std::vector<std::string> notes;
  for (const auto& row : rows)
    if (row.name == format)
      made = row.make(path, notes);
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(note);
  if (!made)
    return report(made.error(), common.json);
  if (out.empty() && made->size() > 1 && !common.json)
    return report({.code = errc::usage,
                   .message = "has " + std::to_string(made->size())
                              + " sessions: name a folder for them with --out",
                   .file = path},
                  false);
  if (!out.empty())
    if (const auto done = write_texts(*made, out); !done)
      return report(done.error(), common.json);
  if (common.json) {
    json::array files;
    for (const auto& [name, text] : *made)
      files.push_back({{"file", name}, {"text", text}});
    print_json(
      json::object{{"files", std::move(files)},
                   {"notes", json::array(notes.begin(), notes.end())}});
  } else if (out.empty()) {
    print(made->front().second);
  } else if (!common.quiet) {
    print(neutral(out + ": " + plural(made->size(), "file")) + '\n');
  }
  return exit_good;
}

} // namespace convene::cli
