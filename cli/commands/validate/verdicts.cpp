#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

namespace convene::cli {

using namespace convene::protocol;

namespace {

/// `file:line:column: /pointer: message [rule; who demands it]`
void print_violation(const std::string& file, const host::placed_violation& one,
                     std::string_view level) {
  const auto rule = one.rule.id.empty()
                      ? std::string{}
                      : fmt::format(" [{}; {}]", one.rule.id,
                                    fmt::join(one.rule.demanded_by, ", "));
  print_line(fmt::format("{}:{}:{}: {}{}{}{}{}", file, one.line, one.column,
                         level, one.instance, one.instance.empty() ? "" : ": ",
                         one.message, rule));
}

/// On standard error: what was read is valid all the same.
void print_notes(const host::file_verdict& file) {
  for (const auto& one : file.notes)
    print_note(fmt::format("{}:{}:{}: note: {}{}{}", file.file, one.line,
                           one.column, one.instance,
                           one.instance.empty() ? "" : ": ", one.message));
  if (file.notes_total > file.notes.size())
    print_note(fmt::format("{}: {} more notes", file.file,
                           file.notes_total - file.notes.size()));
}

} // namespace

void print_verdict(const host::file_verdict& file, bool quiet) {
  for (const auto& one : file.errors)
    print_violation(file.file, one, "");
  if (!quiet)
    for (const auto& one : file.warnings)
      print_violation(file.file, one, "warning: ");
  const auto more = [&](std::size_t total, std::size_t shown,
                        std::string_view what) {
    if (total > shown)
      print_line(fmt::format("{}: {} more {}", file.file, total - shown, what));
  };
  more(file.errors_total, file.errors.size(), "errors");
  if (quiet)
    return;
  more(file.warnings_total, file.warnings.size(), "warnings");
  print_notes(file);
}

} // namespace convene::cli
