#include <convene/cli/options.hpp>
#include <convene/cli/report.hpp>
#include <convene/cli/text.hpp>
#include <convene/protocol/json_text.hpp>
#include <convene/protocol/validator/registry.hpp>
#include <convene/runtime/validation/validate_files.hpp>
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct validate_arguments {
  std::vector<std::string> paths;
  std::string schema;
};

struct totals {
  std::size_t files = 0;
  std::size_t invalid = 0;
  std::size_t documents = 0;
  std::size_t errors = 0;
  std::size_t passed_over = 0; ///< documents
};

/// Whether nothing in the file was looked at.
bool is_passed_over(const host::file_verdict& file) {
  return file.documents == 0 && file.passed_over != 0;
}

void print_errors(const host::file_verdict& file) {
  for (const auto& one : file.errors)
    print(neutral(fmt::format("{}:{}:{}: {}{}{}", file.file, one.line,
                              one.column, one.instance,
                              one.instance.empty() ? "" : ": ", one.message))
          + '\n');
  if (file.errors_total > file.errors.size())
    print(neutral(fmt::format("{}: {} more errors", file.file,
                              file.errors_total - file.errors.size()))
          + '\n');
}

json::object to_json(const host::file_verdict& file) {
  json::array errors;
  for (const auto& one : file.errors)
    errors.push_back({{"instance", sanitize_utf8(one.instance)},
                      {"schema_path", one.schema_path},
                      {"keyword", one.keyword},
                      {"message", sanitize_utf8(one.message)},
                      {"line", one.line},
                      {"column", one.column}});
  return {{"file", sanitize_utf8(file.file)},
          {"schema",
           file.schema.empty() ? json::value{} : json::value(file.schema)},
          {"valid", file.valid()},
          {"errors", std::move(errors)}};
}

void print_summary(const totals& all) {
  print(
    fmt::format("{} of {} files valid, {} documents, {} errors{}\n",
                all.files - all.invalid, all.files, all.documents, all.errors,
                all.passed_over == 0
                  ? ""
                  : fmt::format(", {} documents of no known kind passed over",
                                all.passed_over)));
}

int validate(const validate_arguments& arguments,
             const common_options& common) {
  // A wrong name is told even where there is nothing to validate.
  if (!arguments.schema.empty())
    if (const auto known = embedded_schema(arguments.schema); !known)
      return report(known.error(), common.json);
  totals all;
  json::array files;
  for (const auto& path : arguments.paths) {
    const auto done = host::validate_files(
      path, arguments.schema, [&](const host::file_verdict& file) {
        all.passed_over += file.passed_over;
        if (is_passed_over(file))
          return;
        ++all.files;
        all.invalid += file.valid() ? 0 : 1;
        all.documents += file.documents;
        all.errors += file.errors_total;
        if (common.json)
          files.push_back(to_json(file));
        else
          print_errors(file);
      });
    if (!done)
      return report(done.error(), common.json);
  }
  if (all.files == 0)
    return report({.code = errc::unreadable,
                   .message = "nothing there that there is a schema for; name "
                              "one with --schema"},
                  common.json);
  if (common.json)
    print_json(json::object{{"files", std::move(files)}});
  else if (!common.quiet)
    print_summary(all);
  return all.invalid == 0 ? exit_good : exit_no;
}

} // namespace

void add_validate(CLI::App& program, common_options& common, action& chosen) {
  auto& command = *program.add_subcommand(
    "validate", "Validates documents and event logs against the schemas");
  auto arguments = std::make_shared<validate_arguments>();
  command
    .add_option("PATH", arguments->paths,
                "A document, a JSON Lines file, or a folder with such")
    ->required()
    ->option_text("...");
  command
    .add_option("--schema", arguments->schema,
                "The schema of all of them, as convene schemas list names "
                "it; else guessed for each")
    ->option_text("NAME");
  add_common(command, common);
  command.footer("Example: convene validate collab.json convene-out/*\n"
                 "Exit code 1 if anything is not valid.");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return validate(*arguments, common); };
  });
}

} // namespace convene::cli
