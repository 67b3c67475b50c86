#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/event_file.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/common/signals.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/validation.hpp>
#include <convene/runtime/data/documents/import_folder.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <stop_token>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using outcome = host::import_report::outcome;

struct import_arguments {
  std::filesystem::path from;
  std::filesystem::path to;
  std::filesystem::path events;
  bool strict = false;
  bool invariants = false;
};

void add_options(const command_line& command, import_arguments& arguments) {
  command.add("DIR", arguments.from).required();
  command.add("--out", arguments.to).required();
  command.add("--strict", arguments.strict);
  command.add("--invariants", arguments.invariants);
  command.add("--events", arguments.events);
}

std::string_view to_word(outcome how) {
  switch (how) {
    case outcome::imported:
      return "imported";
    case outcome::unchanged:
      return "unchanged";
    default:
      return "refused";
  }
}

void print_text(const import_arguments& arguments,
                const host::import_report& done, bool quiet) {
  std::size_t invalid = 0;
  for (auto file : done.files) {
    invalid += file.valid() ? 0 : 1;
    file.file = (arguments.from / file.file).string();
    print_verdict(file, quiet);
  }
  if (quiet)
    return;
  for (const auto& [file, why] : done.passed_over)
    print_line(
      fmt::format("{}: skipped: {}", (arguments.from / file).string(), why));
  const auto to = arguments.to.string();
  const auto count = plural(done.files.size(), "file");
  if (done.how == outcome::refused)
    print(neutral(
      fmt::format("nothing imported: {} of {} not valid", invalid, count)));
  else if (done.how == outcome::unchanged)
    print(neutral(fmt::format("{} has the same {} already", to, count)));
  else
    print(neutral(fmt::format("{} imported to {}", count, to)));
  print("\n");
}

json::object to_json(const import_arguments& arguments,
                     const host::import_report& done) {
  json::array files;
  for (const auto& file : done.files)
    files.push_back(host::to_json(file, arguments.invariants));
  json::array others;
  for (const auto& [file, why] : done.passed_over)
    others.push_back({{"file", sanitize_utf8(file)}, {"reason", why}});
  return {{"from", sanitize_utf8(arguments.from.string())},
          {"to", sanitize_utf8(arguments.to.string())},
          {"outcome", to_word(done.how)},
          {"files", std::move(files)},
          {"passed_over", std::move(others)}};
}

/// What happens to the import, as an event of the family import_process.
result<void> tell(const import_arguments& arguments, std::string type,
                  json::object more = {}) {
  more["from"] = sanitize_utf8(arguments.from.string());
  more["to"] = sanitize_utf8(arguments.to.string());
  return append_events(arguments.events,
                       {{.type = std::move(type),
                         .family = "import_process",
                         .payload = std::move(more)}},
                       now_ms());
}

result<void> tell_end(const import_arguments& arguments,
                      const result<host::import_report>& done) {
  if (!done)
    return tell(arguments, "import_failed",
                {{"error", sanitize_utf8(done.error().message)}});
  const auto invalid = std::ranges::count_if(done->files, [](const auto& file) {
    return !file.valid();
  });
  json::object counts{{"outcome", to_word(done->how)},
                      {"files", done->files.size()},
                      {"passed_over", done->passed_over.size()},
                      {"invalid", invalid}};
  return tell(arguments,
              done->how == outcome::refused ? "import_failed"
                                            : "import_completed",
              std::move(counts));
}

result<int> import(const import_arguments& arguments,
                   const common_options& common) {
  host::validation_request how{.strict = arguments.strict};
  const auto rules = arguments.invariants ? host::choose_rules({}) : rule_set{};
  if (!rules)
    return fail(rules.error());
  how.rules = arguments.invariants ? &*rules : nullptr;
  if (auto told = tell(arguments, "import_started"); !told)
    return fail(told.error());
  std::stop_source stop;
  const signal_watch signals{[&stop] { stop.request_stop(); }};
  const auto done = host::import_folder(arguments.from, arguments.to, how,
                                        stop.get_token());
  if (auto told = tell_end(arguments, done); done && !told)
    return fail(told.error());
  if (!done && signals.caught() != 0)
    return signals.exit_code(exit_fault);
  if (!done)
    return fail(done.error());
  if (common.json)
    print_json(to_json(arguments, *done));
  else
    print_text(arguments, *done, common.quiet);
  return done->how == outcome::refused ? exit_no : exit_good;
}

} // namespace

void add_import(const command_line& program) {
  program.add<import_arguments>("import", import, add_options);
}

} // namespace convene::cli
