#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/validation.hpp>
#include <convene/runtime/data/documents/compare_folders.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fmt/format.h>

#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct compare_arguments {
  std::filesystem::path actual;
  std::filesystem::path expected;
  std::vector<std::string> rule_files;
};

void add_options(const command_line& command, compare_arguments& arguments) {
  command.add("--actual", arguments.actual).required();
  command.add("--expected", arguments.expected).required();
  command.add("--rules", arguments.rule_files);
}

/// The rules of the golden flows, and those of the files.
result<rule_set> read_rules(const std::vector<std::string>& files) {
  auto rules = host::choose_rules({"golden"});
  for (const auto& file : files) {
    if (!rules)
      break;
    const auto text = host::read_file(file);
    if (!text)
      return fail(text.error());
    const auto list = parse_json(*text);
    auto added = list ? rules->add(file, *list) : fail(list.error());
    if (!added) {
      added.error().file = file;
      return fail(std::move(added.error()));
    }
  }
  return rules;
}

void print_text(const std::string& actual, const host::file_comparison& one,
                bool quiet) {
  const auto file = (std::filesystem::path{actual} / one.file).string();
  for (const auto& [what, at] : one.differences)
    print_line(fmt::format("{}:{}:{}: {}{}{}", file, at.line, at.column,
                           what.path, what.path.empty() ? "" : ": ",
                           what.message));
  if (one.differences_total > one.differences.size())
    print_line(fmt::format("{}: {} more differences", file,
                           one.differences_total - one.differences.size()));
  print_verdict(one.verdict, quiet);
}

json::object to_json(const host::file_comparison& one) {
  json::array differences;
  for (const auto& [what, at] : one.differences)
    differences.push_back({{"path", sanitize_utf8(what.path)},
                           {"instance", sanitize_utf8(what.pointer)},
                           {"expected", sanitize_utf8(what.expected)},
                           {"actual", sanitize_utf8(what.actual)},
                           {"message", sanitize_utf8(what.message)},
                           {"line", at.line},
                           {"column", at.column}});
  auto object = host::to_json(one.verdict, true);
  object["file"] = sanitize_utf8(one.file);
  object["differences_total"] = one.differences_total;
  object["differences"] = std::move(differences);
  return object;
}

result<int> compare(const compare_arguments& arguments,
                    const common_options& common) {
  const auto rules = read_rules(arguments.rule_files);
  if (!rules)
    return fail(rules.error());
  json::array files;
  std::size_t total = 0;
  std::size_t good = 0;
  const auto done = host::compare_folders(
    arguments.expected, arguments.actual, *rules,
    [&](const host::file_comparison& one) {
      ++total;
      good += one.good() ? 1 : 0;
      if (common.json)
        files.push_back(to_json(one));
      else
        print_text(arguments.actual.string(), one, common.quiet);
    });
  if (!done)
    return fail(done.error());
  if (common.json)
    print_json(
      json::object{{"equal", good == total}, {"files", std::move(files)}});
  else if (!common.quiet)
    print(fmt::format("{} of {} files as expected\n", good, total));
  return good == total ? exit_good : exit_no;
}

} // namespace

void add_compare(const command_line& program) {
  program.add<compare_arguments>("compare", compare, add_options);
}

} // namespace convene::cli
