#include <boost/json/value_from.hpp>
#include <convene/cli/commands/validate/verdicts.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
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

namespace {

json::array to_json(const std::vector<host::placed_violation>& all) {
  json::array list;
  for (const auto& one : all) {
    json::object object{{"instance", sanitize_utf8(one.instance)},
                        {"schema_path", one.schema_path},
                        {"keyword", one.keyword},
                        {"message", sanitize_utf8(one.message)},
                        {"line", one.line},
                        {"column", one.column}};
    if (!one.rule.id.empty()) {
      object["rule"] = one.rule.id;
      object["scope"] = one.rule.scope;
      object["path"] = one.rule.path;
      object["value"] = sanitize_utf8(one.rule.value);
      object["demanded_by"] = json::array(one.rule.demanded_by.begin(),
                                          one.rule.demanded_by.end());
    }
    list.push_back(std::move(object));
  }
  return list;
}

json::array notes_of(const host::file_verdict& file) {
  json::array notes;
  for (const auto& one : file.notes)
    notes.push_back({{"instance", sanitize_utf8(one.instance)},
                     {"rule", one.rule},
                     {"message", sanitize_utf8(one.message)},
                     {"line", one.line},
                     {"column", one.column}});
  return notes;
}

} // namespace

json::object to_json(const host::file_verdict& file, bool invariants) {
  json::object object{
    {"file", sanitize_utf8(file.file)},
    {"schema", file.schema.empty() ? json::value{} : json::value(file.schema)},
    {"schemas", json::value_from(file.schemas)},
    {"valid", file.valid()},
    {"errors", to_json(file.errors)},
    {"notes", notes_of(file)}};
  if (invariants) {
    object["warnings"] = to_json(file.warnings);
    object["rules_checked"] = file.rules_checked;
    object["rules_unchecked"] = json::array(file.rules_unchecked.begin(),
                                            file.rules_unchecked.end());
  }
  return object;
}

result<rule_set> choose_rules(const std::vector<std::string>& names) {
  if (names.empty())
    return usual_invariants();
  const auto& all = embedded_invariants();
  const std::vector<std::string_view> wanted{names.begin(), names.end()};
  return all ? all->select(wanted) : all;
}

} // namespace convene::cli
