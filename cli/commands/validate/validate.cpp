#include <convene/cli/commands/check/check_rollback.hpp>
#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct validate_arguments {
  host::validation_request request;
  bool invariants = false;
  std::vector<std::string> rules; ///< names of sets and of single rules
};

void add_options(const command_line& command, validate_arguments& arguments) {
  command.add("PATH", arguments.request.paths).required();
  command.add("--schema", arguments.request.schema);
  command.add("--strict", arguments.request.strict);
  command.add("--invariants", arguments.invariants);
  command.add("--rules", arguments.rules).with_commas();
}

struct totals {
  std::size_t files = 0;
  std::size_t invalid = 0;
  std::size_t documents = 0;
  std::map<std::string, std::size_t, std::less<>> events; ///< by schema
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t passed_over = 0; ///< documents
  std::set<std::string, std::less<>> rules_unchecked;
};

/// Whether nothing in the file was looked at.
bool is_passed_over(const host::file_verdict& file) {
  return file.documents == 0 && file.passed_over != 0;
}

/// Whether the log is that of a run which was rolled back before it had ended:
/// it stays as it is, and a turn that was interrupted is never completed.
bool is_log_at_rest(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto log
    = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, failed);
  const auto run = log.parent_path();
  return !failed && log == host::session_folder_of(run)
         && rests_rolled_back(run);
}

/// Events come in two forms, so it has to be said which they were judged by.
std::string told_events(const totals& all) {
  std::string text;
  for (const auto& [schema, count] : all.events)
    text += fmt::format("{}{} by {}", text.empty() ? "; events: " : ", ", count,
                        schema);
  return text;
}

void print_summary(const totals& all) {
  const auto optional = [](std::size_t count, std::string_view noun,
                           std::string_view rest) {
    return count == 0 ? std::string{}
                      : fmt::format(", {}{}", plural(count, noun), rest);
  };
  print(fmt::format(
    "{} of {} files valid, {}, {}{}{}{}{}\n", all.files - all.invalid,
    all.files, plural(all.documents, "document"), plural(all.errors, "error"),
    optional(all.warnings, "warning", ""),
    optional(all.passed_over, "document", " of no known kind passed over"),
    optional(all.rules_unchecked.size(), "rule",
             " lacked a document to compare with"),
    told_events(all)));
}

result<int> validate(const validate_arguments& arguments,
                     const common_options& common) {
  auto request = arguments.request;
  // A wrong name is told even where there is nothing to validate.
  if (!request.schema.empty())
    if (const auto known = embedded_schema(request.schema); !known)
      return fail(known.error());
  const bool invariants = arguments.invariants || !arguments.rules.empty();
  const auto rules = invariants ? choose_rules(arguments.rules) : rule_set{};
  if (!rules)
    return fail(rules.error());
  request.rules = invariants ? &*rules : nullptr;
  request.rests = is_log_at_rest;
  totals all;
  json::array files;
  const auto done
    = host::validate_files(request, [&](const host::file_verdict& file) {
        all.passed_over += file.passed_over;
        if (is_passed_over(file))
          return;
        ++all.files;
        all.invalid += file.valid() ? 0 : 1;
        all.documents += file.documents;
        for (const auto& [schema, count] : file.schemas)
          if (schema.ends_with("-event") || schema.ends_with("-event-core"))
            all.events[schema] += count;
        all.errors += file.errors_total;
        all.warnings += file.warnings_total;
        all.rules_unchecked.insert(file.rules_unchecked.begin(),
                                   file.rules_unchecked.end());
        if (common.json)
          files.push_back(cli::to_json(file, invariants));
        else
          print_verdict(file, common.quiet);
      });
  if (!done)
    return fail(done.error());
  if (all.files == 0)
    return fail(
      {.code = errc::unreadable,
       .message = "has no document with a known schema; name the schema "
                  "with --schema",
       .file = arguments.request.paths.front().string()});
  if (common.json)
    print_json(json::object{{"files", std::move(files)}});
  else if (!common.quiet)
    print_summary(all);
  return all.invalid == 0 ? exit_good : exit_no;
}

} // namespace

void add_validate(const command_line& program) {
  program.add<validate_arguments>("validate", validate, add_options);
}

} // namespace convene::cli
