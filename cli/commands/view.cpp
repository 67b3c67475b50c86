#include <convene/cli/common/log_damage.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/pages/log_view.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/event_log/reader.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct view_arguments {
  std::string log;
  std::string out;
};

/// A log's page, and what there is to say about the log.
struct viewed_log {
  log_view view;
  std::vector<std::string> notes;
  bool is_damaged = false;
};

result<viewed_log> read_view(const view_arguments& arguments) {
  viewed_log all;
  std::uint64_t others = 0;
  std::optional<error> refused;
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
  const std::string path = host::is_agent_folder(arguments.log)
                             ? host::session_folder_of(arguments.log).string()
                             : arguments.log;
  const auto read = host::visit_log(path, visit);
  if (refused) {
    refused->file = arguments.log;
    return fail(*std::move(refused));
  }
  if (!read && !is_log_damage(read.error()))
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
  if (all.view.events() == 0 && !all.is_damaged)
    return fail({.code = errc::invalid_document,
                 .message = "has no events of a session",
                 .file = arguments.log});
  return all;
}

int view(const view_arguments& arguments, const common_options& common) {
  const auto usage = [&](std::string message, const std::string& file = {}) {
    return report(
      {.code = errc::usage, .message = std::move(message), .file = file},
      common.json);
  };
  std::error_code ignored;
  if (arguments.out.empty() && (common.json || ::isatty(STDOUT_FILENO) != 0))
    return usage("name a file for the page with --out");
  if (!arguments.out.empty()
      && std::filesystem::exists(
        std::filesystem::symlink_status(arguments.out, ignored)))
    return usage("is there already; name a new one", arguments.out);
  auto read = read_view(arguments);
  if (!read)
    return report(read.error(), common.json);
  const auto events = read->view.events();
  const auto sessions = read->view.sessions();
  const auto name = std::filesystem::path{arguments.log}.filename().string();
  const auto html
    = to_html(std::move(read->view)
                .page(name.empty() ? arguments.log : name, read->notes));
  if (arguments.out.empty())
    print(html);
  else if (const auto done = host::write_file(arguments.out, html); !done)
    return report(done.error(), common.json);
  if (common.json)
    print_json(json::object{{"file", sanitize_utf8(arguments.out)},
                            {"bytes", html.size()},
                            {"events", events},
                            {"sessions", sessions},
                            {"notes", json::array(read->notes.begin(),
                                                  read->notes.end())}});
  else if (!common.quiet) {
    for (const auto& note : read->notes)
      print_note(note);
    if (!arguments.out.empty())
      print(neutral(arguments.out + ": " + plural(events, "event") + " of "
                    + plural(sessions, "session"))
            + '\n');
  }
  return read->is_damaged ? exit_no : exit_good;
}

} // namespace

void add_view(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "view", "Makes a page of a log: a timeline of its sessions");
  auto arguments = std::make_shared<view_arguments>();
  command
    .add_option("LOG", arguments->log,
                "An event log, or a folder that a run wrote")
    ->required()
    ->option_text(" ");
  command
    .add_option("--out", arguments->out,
                "File to write the page to, a new one; else standard output")
    ->option_text("FILE");
  add_common(command, common);
  command.footer("Example: convene view results --out timeline.html\n"
                 "Exit codes: 1 the log is damaged, and shown as far as it "
                 "goes; 2 it cannot be read.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return view(*arguments, common); };
  });
}

} // namespace convene::cli
