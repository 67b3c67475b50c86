#include <convene/cli/common/check_workspace.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/event_log/reader.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct check_arguments {
  std::vector<std::string> logs;
  bool allow_unfinished = false;
};

struct verdict {
  std::uint64_t events = 0;
  std::size_t sessions = 0;
  std::size_t findings_total = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t sessions_cut = 0;       ///< began in removed segments
  std::vector<placed_finding> findings; ///< the first ones
};

/// Numbers the lines of several files through, and finds back to the file.
class line_numbers {
public:
  std::size_t number(const host::log_place& place) {
    if (files_.empty() || index_ != place.file_index)
      files_.push_back({place.file, last_});
    index_ = place.file_index;
    last_ = files_.back().before + place.number;
    return last_;
  }

  [[nodiscard]] std::pair<std::string, std::size_t>
  place(std::size_t number, const std::string& otherwise) const {
    if (number == 0)
      return {otherwise, 0};
    const auto next = std::ranges::lower_bound(files_, number, {},
                                               &numbered_file::before);
    const auto& file = *std::prev(next);
    return {file.name, number - file.before};
  }

private:
  struct numbered_file {
    std::string name;
    std::size_t before = 0; ///< lines in the files before this one
  };

  std::vector<numbered_file> files_;
  std::size_t index_ = 0; // of the last file
  std::size_t last_ = 0;
};

/// Damage is an answer, not a reason to give none.
bool is_finding(const error& what) {
  return what.rule == "log_damaged" || what.rule == "log_opened_missing";
}

result<verdict> check_log(const std::string& log, bool allow_unfinished) {
  event_checker checker{{.allow_unfinished = allow_unfinished}};
  line_numbers lines;
  workspace_comparison shared{log};
  verdict all;
  const auto read = host::visit_sessions(log, [&](const host::log_place& place,
                                                  std::string_view text) {
    ++all.events;
    const auto number = lines.number(place);
    if (const auto event = parse_json(text)) {
      checker.feed(number, *event);
      shared.feed(*event);
    } else {
      checker.feed_invalid(number, event.error().message);
    }
  });
  if (!read && !is_finding(read.error()))
    return fail(read.error());
  for (auto& found : checker.finish()) {
    auto [file, line] = lines.place(found.line, log);
    all.findings.push_back({std::move(file), line, std::move(found)});
  }
  all.findings_total = checker.findings_total();
  all.findings_total += shared.findings_total();
  for (const auto& found : shared.findings())
    all.findings.push_back(found);
  all.sessions = checker.sessions_total();
  if (read) {
    all.unacknowledged_bytes = read->unacknowledged_bytes;
    all.sessions_cut = read->sessions_cut;
    if (read->sessions_lost != 0) {
      ++all.findings_total;
      all.findings.push_back(
        {log,
         0,
         {.rule = "session_end_lost",
          .message = plural(read->sessions_lost, "session")
                     + " that began in removed segments never ended"}});
    }
  } else {
    const auto& damage = read.error();
    ++all.findings_total;
    all.findings.push_back({damage.file,
                            damage.line,
                            {.rule = damage.rule, .message = damage.message}});
  }
  return all;
}

void print_text(const std::string& log, const verdict& all, bool quiet) {
  for (const auto& [file, line, what] : all.findings) {
    const auto place = line == 0 ? file : fmt::format("{}:{}", file, line);
    const auto session = what.session_id.empty() ? "-" : what.session_id;
    print(neutral(fmt::format("{}: {} {} {}", place, session, what.rule,
                              what.message))
          + '\n');
  }
  if (quiet)
    return;
  const auto hidden = all.findings_total - all.findings.size();
  print(
    neutral(fmt::format(
      "{}: {}, {}, {}{}{}{}", log, plural(all.events, "event"),
      plural(all.sessions, "session"), plural(all.findings_total, "finding"),
      hidden == 0 ? "" : fmt::format(" ({} not shown)", hidden),
      all.unacknowledged_bytes == 0
        ? ""
        : fmt::format(", {} bytes at the end were never acknowledged",
                      all.unacknowledged_bytes),
      told_cut(all.sessions_cut)))
    + '\n');
}

json::object to_json(const std::string& log, const verdict& all) {
  json::array findings;
  for (const auto& [file, line, what] : all.findings)
    findings.push_back({{"file", sanitize_utf8(file)},
                        {"line", line},
                        {"session_id", sanitize_utf8(what.session_id)},
                        {"rule", what.rule},
                        {"message", sanitize_utf8(what.message)}});
  return {{"log", sanitize_utf8(log)},
          {"events", all.events},
          {"sessions", all.sessions},
          {"unacknowledged_bytes", all.unacknowledged_bytes},
          {"sessions_cut", all.sessions_cut},
          {"findings_total", all.findings_total},
          {"findings", std::move(findings)}};
}

int check(const check_arguments& arguments, const common_options& common) {
  json::array logs;
  std::size_t findings = 0;
  for (const auto& log : arguments.logs) {
    const auto checked = check_log(log, arguments.allow_unfinished);
    if (!checked)
      return report(checked.error(), common.json);
    findings += checked->findings_total;
    if (common.json)
      logs.push_back(to_json(log, *checked));
    else
      print_text(log, *checked, common.quiet);
  }
  if (common.json)
    print_json(json::object{{"good", findings == 0}, {"logs", logs}});
  return findings == 0 ? exit_good : exit_no;
}

} // namespace

void add_check(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "check", "Verifies event logs against the invariants");
  auto arguments = std::make_shared<check_arguments>();
  command
    .add_option("LOG", arguments->logs,
                "An event log, or a folder that a run wrote")
    ->required()
    ->option_text("...");
  command.add_flag("--allow-unfinished", arguments->allow_unfinished,
                   "Sessions may still be running at the log's end");
  add_common(command, common);
  command.footer("Example: convene check convene-out/*\n"
                 "Exit code 1 if anything is found.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return check(*arguments, common); };
  });
}

} // namespace convene::cli
