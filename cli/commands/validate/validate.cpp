#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/runtime/audit/validation.hpp>
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct validate_arguments {
  host::validation_wish wish;
};

void add_options(const command_line& command, validate_arguments& arguments) {
  auto& wish = arguments.wish;
  command.add("PATH", wish.paths).required();
  command.add("--schema", wish.schema);
  command.add("--strict", wish.strict);
  command.add("--invariants", wish.invariants);
  command.add("--rules", wish.rules).with_commas();
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
  const auto& wish = arguments.wish;
  const bool invariants = wish.invariants || !wish.rules.empty();
  totals all;
  json::array files;
  const auto done
    = host::validate_paths(wish, [&](const host::file_verdict& file) {
        all.passed_over += file.passed_over;
        if (host::is_passed_over(file))
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
          files.push_back(host::to_json(file, invariants));
        else
          print_verdict(file, common.quiet);
      });
  if (!done)
    return fail(done.error());
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
