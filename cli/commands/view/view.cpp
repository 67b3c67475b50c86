#include <convene/cli/commands/view/log_view.hpp>
#include <convene/cli/commands/view/view_file.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/reading_progress.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/event_log/log_damage.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/files/spool.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct view_arguments {
  std::string log;
  std::string other; ///< compared with it; empty: none
  std::string out;
};

void add_options(const command_line& command, view_arguments& arguments) {
  command.add("LOG", arguments.log).required();
  command.add("--with", arguments.other);
  command.add("--out", arguments.out);
}

/// A log's page, and what there is to say about the log.
struct viewed_log {
  log_view view;
  std::vector<std::string> notes;
  bool is_damaged = false;
};

/// Adds what is on a log.
result<void> read_log(const std::string& log, viewed_log& all) {
  std::uint64_t others = 0;
  std::optional<error> refused;
  const auto before = all.view.events();
  const auto visit = [&](const host::log_place&, std::string_view text) {
    if (refused)
      return;
    const auto value = parse_json(text);
    const auto* event = value ? value->if_object() : nullptr;
    if (event == nullptr || protocol::text_of(*event, "session_id").empty()) {
      ++others;
      return;
    }
    if (auto added = all.view.add(*event, text); !added)
      refused = std::move(added).error();
  };
  const std::string path
    = host::is_agent_folder(log) ? host::session_folder_of(log).string() : log;
  const auto read = host::visit_log(path, visit);
  if (refused) {
    refused->file = log;
    return fail(*std::move(refused));
  }
  if (!read && !host::is_log_damage(read.error()))
    return fail(read.error());
  if (!read) {
    all.is_damaged = true;
    all.notes.push_back("What follows in the log is damaged: "
                        + to_string(read.error()));
  } else if (read->unacknowledged_bytes != 0) {
    all.notes.push_back(plural(read->unacknowledged_bytes, "byte")
                        + " at the end of the log were never acknowledged");
  }
  if (others != 0)
    all.notes.push_back(plural(others, "line") + " without a session left out");
  if (all.view.events() == before && !all.is_damaged)
    return fail({.code = errc::invalid_document,
                 .message = "has no events of a session",
                 .file = log});
  return {};
}

result<viewed_log> read_view(const view_arguments& arguments) {
  viewed_log all{.view = log_view{{}, !arguments.other.empty()}};
  auto read = read_log(arguments.log, all);
  if (read && !arguments.other.empty()) {
    const auto of_first = all.notes.size();
    all.view.begin_other();
    read = read_log(arguments.other, all);
    for (std::size_t i = 0; i < all.notes.size(); ++i)
      all.notes[i].insert(0, (i < of_first ? arguments.log : arguments.other)
                               + ": ");
  }
  if (!read)
    return fail(read.error());
  return all;
}

/// What a page calls a log.
std::string name_of(const std::string& log) {
  const auto name = std::filesystem::path{log}.filename().string();
  return name.empty() ? log : name;
}

/// Names that differ where the logs do.
std::vector<std::string> names_of(const view_arguments& arguments) {
  if (arguments.other.empty())
    return {name_of(arguments.log)};
  if (name_of(arguments.log) != name_of(arguments.other))
    return {name_of(arguments.log), name_of(arguments.other)};
  return {arguments.log, arguments.other};
}

json::array comparison_of(const log_view& view) {
  json::array all;
  for (const auto& pair : view.compared())
    all.push_back(
      {{"session_id", sanitize_utf8(std::string{view.session_id(pair.one)})},
       {"with", sanitize_utf8(std::string{view.session_id(pair.other)})},
       {"set_up_alike", pair.is_set_up_alike},
       {"alike", !pair.differs_at},
       {"differs_at",
        pair.differs_at ? json::value(*pair.differs_at + 1) : json::value()}});
  return all;
}

/// The first pair that differs, for people.
std::string comparison_text(const log_view& view) {
  const auto pairs = view.compared();
  const auto differs = std::ranges::find_if(pairs, [](const auto& pair) {
    return pair.differs_at.has_value();
  });
  if (differs == pairs.end())
    return pairs.empty() ? ""
                         : "The runs are alike, except for times and ids\n";
  return "The first difference: event "
         + std::to_string(*differs->differs_at + 1) + " of session "
         + neutral(std::string{view.session_id(differs->one)})
         + (differs->is_set_up_alike ? ""
                                     : "; the sessions were set up differently")
         + '\n';
}

/// To a new file; no name: to standard output.
result<void> write_page(const view_page& page, const std::string& out) {
  if (out.empty())
    return page.read(print);
  return host::write_new_file(out, [&page](const auto& take) {
    return page.read(take);
  });
}

result<int> view(const view_arguments& arguments,
                 const common_options& common) {
  const auto usage = [&](std::string message, const std::string& file = {}) {
    return fail(
      {.code = errc::usage, .message = std::move(message), .file = file});
  };
  std::error_code ignored;
  if (arguments.out.empty() && (common.json || ::isatty(STDOUT_FILENO) != 0))
    return usage("name a file for the page with --out");
  if (!arguments.out.empty()
      && std::filesystem::exists(
        std::filesystem::symlink_status(arguments.out, ignored)))
    return usage("is there already; name a new one", arguments.out);
  auto read = [&] {
    const reading_progress shown{!common.quiet, "reading"};
    return read_view(arguments);
  }();
  if (!read)
    return fail(read.error());
  const auto events = read->view.events();
  const auto sessions = read->view.sessions();
  auto compared = comparison_of(read->view);
  const auto words = comparison_text(read->view);
  const auto page
    = std::move(read->view).page(names_of(arguments), read->notes);
  if (!page)
    return fail(page.error());
  if (const auto done = write_page(*page, arguments.out); !done)
    return fail(done.error());
  if (common.json) {
    json::object said{{"file", sanitize_utf8(arguments.out)},
                      {"bytes", page->bytes()},
                      {"events", events},
                      {"sessions", sessions},
                      {"notes",
                       json::array(read->notes.begin(), read->notes.end())}};
    if (!arguments.other.empty())
      said.emplace("compared", std::move(compared));
    print_json(said);
  } else if (!common.quiet) {
    for (const auto& note : read->notes)
      print_note(note);
    if (!arguments.out.empty())
      print(neutral(arguments.out + ": " + plural(events, "event") + " of "
                    + plural(sessions, "session"))
            + '\n' + words);
  }
  return read->is_damaged ? exit_no : exit_good;
}

} // namespace

result<void> write_view(const std::filesystem::path& log,
                        const std::string& name,
                        const std::filesystem::path& out) {
  viewed_log all{.view = log_view{}};
  if (auto read = read_log(log.string(), all); !read)
    return read;
  const auto page = std::move(all.view).page({name}, all.notes);
  return page ? write_page(*page, out.string()) : fail(page.error());
}

void add_view(const command_line& program) {
  program.add<view_arguments>("view", view, add_options);
}

} // namespace convene::cli
