#include <boost/json/value_from.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/audit/check_rollback.hpp>
#include <convene/runtime/audit/validation.hpp>
#include <convene/runtime/data/scenario/extension_approval.hpp>
#include <convene/runtime/data/scenario/reusable_scenario.hpp>
#include <convene/runtime/may_start.hpp>
#include <convene/runtime/single_agent/agent_folder.hpp>

#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

/// Whether the log is that of a run which was rolled back before it had ended:
/// its interrupted turns stay open.
bool is_log_at_rest(const std::filesystem::path& folder) {
  std::error_code failed;
  const auto log
    = std::filesystem::weakly_canonical(folder.empty() ? "." : folder, failed);
  const auto run = log.parent_path();
  return !failed && log == session_folder_of(run) && rests_rolled_back(run);
}

json::array to_json(const std::vector<placed_violation>& all) {
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

json::array notes_of(const file_verdict& file) {
  json::array notes;
  for (const auto& one : file.notes)
    notes.push_back({{"instance", sanitize_utf8(one.instance)},
                     {"rule", one.rule},
                     {"message", sanitize_utf8(one.message)},
                     {"line", one.line},
                     {"column", one.column}});
  return notes;
}

/// Loads a scenario and checks that it would start, as `run` does. A plan that
/// is a draft can still be approved.
result<void> would_run(const std::string& file, bool single_agent) {
  auto ids = uuid_source::from_entropy();
  runtime_options how;
  const auto folder = std::filesystem::path{file}.parent_path();
  static_cast<void>(
    how.allow.allow("read=" + (folder.empty() ? "." : folder.string())));
  const load_options options{.ids = ids,
                             .single_agent = single_agent,
                             .allow = &how.allow};
  const auto read = reusable_scenario::from(file, options);
  if (!read)
    return fail(read.error());
  auto made = read->load(options);
  if (!made)
    return fail(std::move(made).error());
  if (made->plan
      && (made->plan->status == plan_status::draft
          || made->plan->status == plan_status::proposed))
    made->plan->status = plan_status::approved;
  approve_extensions(*made, ids, options.now);
  if (auto may = may_start(*made, how); !may)
    return fail(read->located(std::move(may).error()));
  return {};
}

/// Adds why `run` would refuse a scenario that its schema accepts, except for
/// permissions and people that it lacks here.
void check_would_run(file_verdict& file) {
  const auto as_session = would_run(file.file, false);
  if (as_session || would_run(file.file, true))
    return;
  auto why = as_session.error();
  if (why.rule == "permission_needed" || why.rule == "approver_needed"
      || why.code == errc::internal)
    return;
  if (why.file == file.file)
    why.file.clear();
  else if (!why.file.empty())
    why = {.message = to_string(why), .rule = why.rule};
  add_error(file, {.instance = std::move(why.pointer),
                   .keyword = why.rule,
                   .message = std::move(why.message),
                   .line = why.line,
                   .column = why.column});
}

} // namespace

json::object to_json(const file_verdict& file, bool invariants) {
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

bool is_passed_over(const file_verdict& file) {
  return file.documents == 0 && file.passed_over != 0;
}

result<void> validate_paths(const validation_wish& what,
                            const verdict_visitor& visit) {
  // A wrong name is reported even where there is nothing to validate.
  if (!what.schema.empty())
    if (const auto known = embedded_schema(what.schema); !known)
      return fail(known.error());
  const auto rules = what.invariants || !what.rules.empty()
                       ? choose_rules(what.rules)
                       : rule_set{};
  if (!rules)
    return fail(rules.error());
  validation_request request{.paths = what.paths,
                             .schema = what.schema,
                             .strict = what.strict,
                             .rests = is_log_at_rest};
  if (what.invariants || !what.rules.empty())
    request.rules = &*rules;
  bool any = false;
  auto done = validate_files(request, [&](const file_verdict& file) {
    any = any || !is_passed_over(file);
    if (file.schema != "convene-scenario" || !file.valid() || what.strict)
      return visit(file);
    auto judged = file;
    check_would_run(judged);
    visit(judged);
  });
  if (!done || any)
    return done;
  return fail({.code = errc::unreadable,
               .message = "has no document with a known schema; name the "
                          "schema with --schema",
               .file = what.paths.front().string()});
}

} // namespace convene::host
