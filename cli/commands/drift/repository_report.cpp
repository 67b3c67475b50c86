#include <convene/cli/commands/drift/repository_report.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::size_t where_columns = 11;
constexpr std::size_t change_columns = 10;

std::string shown_commit(const std::string& id) {
  constexpr std::size_t digits = 12;
  return id.empty() ? "no commit" : id.substr(0, digits);
}

} // namespace

bool differs(const host::git_drift& repository) {
  return repository.moved() || !repository.changes.empty();
}

json::object to_json(const host::git_drift& repository) {
  json::array changes;
  for (const auto& each : repository.changes) {
    json::object one{{"where", host::to_word(each.where)},
                     {"drift_type", protocol::to_word(each.type)},
                     {"path", sanitize_utf8(each.path)}};
    if (!each.new_path.empty())
      one.emplace("new_path", sanitize_utf8(each.new_path));
    changes.push_back(std::move(one));
  }
  return {{"since", repository.since},
          {"head", repository.head},
          {"ref", sanitize_utf8(repository.ref)},
          {"moved", repository.moved()},
          {"changes", std::move(changes)}};
}

std::string repository_text(const host::git_drift& repository) {
  auto text = fmt::format(
    "repository: {} at {}{}, {}\n",
    repository.ref.empty() ? "HEAD" : neutral(repository.ref),
    shown_commit(repository.head),
    repository.moved() ? ", was at " + shown_commit(repository.since) : "",
    repository.changes.empty() ? "no changes"
                               : plural(repository.changes.size(), "change"));
  for (const auto& each : repository.changes)
    text += fmt::format(
      "  {}{}{}{}\n", column(host::to_word(each.where), where_columns),
      column(protocol::to_word(each.type), change_columns), neutral(each.path),
      each.new_path.empty() ? "" : ": now " + neutral(each.new_path));
  return text;
}

int show(const host::git_drift& repository, const common_options& common) {
  if (common.json)
    print_json(json::object{{"repository", to_json(repository)}});
  else if (!common.quiet)
    print(repository_text(repository));
  return differs(repository) ? exit_no : exit_good;
}

} // namespace convene::cli
