#include <boost/json/serialize.hpp>
#include <convene/cli/common/dialog_file.hpp>
#include <convene/cli/common/export_formats.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/sequence_diagram.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/export_request.hpp>
#include <convene/protocol/otlp/session_spans.hpp>
#include <convene/runtime/documents/sources.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/learning/session_samples.hpp>
#include <convene/runtime/scenario/outputs.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// What a format makes of a path: texts, and the names of files for them.
using named_texts = std::vector<std::pair<std::string, std::string>>;

struct export_format_row {
  std::string_view name;
  result<named_texts> (*make)(const format_order& order,
                              std::vector<std::string>& notes);
};

/// Sessions of one log that are shown, and all their spans or samples.
constexpr std::size_t shown_sessions_max = 10'000;
constexpr std::size_t exported_spans_max = 100'000;
constexpr std::size_t exported_samples_max = 250'000;

/// What each session of a log, or of all logs in a folder, is shown as: by
/// session_id, in the order in which they begin.
template <class Shown>
using shown_sessions = std::vector<std::pair<std::string, Shown>>;

/// Whose an event is; empty: nobody's.
std::string session_of(const host::read_item&, const json::object& event) {
  return std::string{text_of(event, "session_id")};
}

/// Whose an event is; of those without a session, that of their file.
std::string flow_of(const host::read_item& item, const json::object& event) {
  const auto id = text_of(event, "session_id");
  return id.empty() ? "file " + item.file : std::string{id};
}

/// `make` makes it of a session's id, `add` adds an event to it; `key` says of
/// which session an event is.
template <class Make, class Add, class Key = decltype(&session_of)>
auto show_sessions(const std::string& path, const Make& make, const Add& add,
                   const Key& key = session_of)
  -> result<shown_sessions<decltype(make(std::string_view{}))>> {
  const auto sources = host::export_sources(path);
  if (!sources)
    return fail(sources.error());
  shown_sessions<decltype(make(std::string_view{}))> sessions;
  std::map<std::string, std::size_t, std::less<>> places;
  const auto visit = [&](const host::read_item& item) -> result<void> {
    const auto* event = item.value.if_object();
    const auto id = event == nullptr ? std::string{} : key(item, *event);
    if (id.empty())
      return {};
    auto place = places.find(id);
    if (place == places.end()) {
      if (sessions.size() == shown_sessions_max)
        return fail({.code = errc::limit_reached,
                     .message = "has over " + std::to_string(shown_sessions_max)
                                + " sessions",
                     .file = path,
                     .rule = "shown_sessions_max"});
      place = places.emplace(id, sessions.size()).first;
      sessions.emplace_back(id, make(id));
    }
    return add(sessions[place->second].second, *event);
  };
  for (const auto& source : *sources)
    if (source.is_events)
      if (const auto read = host::visit_items(source, visit); !read)
        return fail(read.error());
  if (sessions.empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events of a session",
                 .file = path});
  return sessions;
}

/// A session's id may be anything; a file's name may not.
std::string file_name(std::string_view session_id, std::size_t index,
                      std::string_view ending) {
  return (is_uuid_v4(session_id) ? std::string{session_id}
                                 : std::to_string(index + 1))
         + std::string{ending};
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

/// Each session as the body of one POST to a collector.
result<named_texts> make_otlp(const format_order& order,
                              std::vector<std::string>&) {
  std::size_t spans = 0;
  auto sessions = show_sessions(
    order.path, [](std::string_view id) { return session_spans{id}; },
    [&](session_spans& session, const json::object& event) -> result<void> {
      const auto before = session.size();
      if (auto added = session.add(event); !added) {
        added.error().file = order.path;
        return added;
      }
      spans += session.size() - before;
      if (spans <= exported_spans_max)
        return {};
      return fail({.code = errc::limit_reached,
                   .message = "its sessions have over "
                              + std::to_string(exported_spans_max) + " spans",
                   .file = order.path,
                   .rule = "exported_spans_max"});
    });
  if (!sessions)
    return fail(sessions.error());
  named_texts all;
  for (auto& [id, session] : *sessions) {
    const auto trace = std::move(session).take();
    if (!trace.spans.empty())
      all.emplace_back(file_name(id, all.size(), ".json"),
                       json::serialize(export_request(trace, CONVENE_VERSION))
                         + '\n');
  }
  if (all.empty())
    return fail({.code = errc::invalid_document,
                 .message = "has no events with a time",
                 .file = order.path});
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

result<named_texts> make_openai(const format_order& order,
                                std::vector<std::string>& notes) {
  const auto dialog = read_dialog(order.path, notes);
  if (!dialog)
    return fail(dialog.error());
  return named_texts{{"openai.json", pretty(to_openai(dialog->messages).body)}};
}

/// What cannot be said in that form is told by `convene dialog`, which also
/// takes an opening.
result<named_texts> make_anthropic(const format_order& order,
                                   std::vector<std::string>& notes) {
  const auto dialog = read_dialog(order.path, notes);
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
                          export_format_row{"otlp", make_otlp},
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
  for (const auto& row : rows)
    names.emplace_back(row.name);
  return names;
}

int export_format(const format_order& order, const common_options& common) {
  const auto& out = order.out;
  result<named_texts> made;
  std::vector<std::string> notes;
  for (const auto& row : rows)
    if (row.name == order.format)
      made = row.make(order, notes);
  if (!common.quiet && !common.json)
    for (const auto& note : notes)
      print_note(note);
  if (!made)
    return report(made.error(), common.json);
  if (out.empty() && made->size() > 1 && !common.json)
    return report({.code = errc::usage,
                   .message = "has " + std::to_string(made->size())
                              + " sessions: name a folder for them with --out",
                   .file = order.path},
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
