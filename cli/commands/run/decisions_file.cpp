#include <convene/cli/commands/run/decisions_file.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// What may be wrong with one decision, said of its place in the file.
struct decision_reader {
  const session::spec& scenario;
  const std::filesystem::path& file;
  std::string now;

  tl::unexpected<error> refuse(const std::string& pointer, std::string message,
                               std::string rule) const {
    auto why = host::file_error(errc::invalid_document, file,
                                std::move(message), std::move(rule));
    why.pointer = pointer;
    return fail(std::move(why));
  }

  result<confirm_decision> read(const json::value& from,
                                const std::string& at) const {
    if (!from.is_object())
      return refuse(at, "must be an object", "type");
    const auto& members = from.get_object();
    constexpr std::array<std::string_view, 5> known{"status", "decided_by_role",
                                                    "reason", "decision_id",
                                                    "decided_at"};
    for (const auto& [name, value] : members) {
      if (std::ranges::find(known, std::string_view{name}) == known.end())
        return refuse(at + '/' + std::string{name}, unknown_member(name, known),
                      "additionalProperties");
      if (!value.is_string() || value.get_string().empty())
        return refuse(at + '/' + std::string{name},
                      "must be a text that is not empty", "type");
    }
    const auto status = from_word<decision_status>(text_of(members, "status"));
    if (!status)
      return refuse(at + "/status",
                    "write approved, rejected or cancelled here", "enum");
    const std::string by{text_of(members, "decided_by_role")};
    if (by.empty())
      return refuse(at, "decided_by_role is missing: say who decided",
                    "required");
    if (scenario.plan->meta.created_by == by)
      return fail(
        errc::not_allowed,
        "the author of a plan cannot confirm it: its meta.created_by is "
          + quote(by) + ", who decides in " + file.string(),
        "own_plan");
    confirm_decision made{
      .decision_id = std::string{text_of(members, "decision_id")},
      .status = *status,
      .decided_by_role = by,
      .decided_at = std::string{text_of(members, "decided_at")}};
    if (!made.decision_id.empty() && !is_uuid_v4(made.decision_id))
      return refuse(at + "/decision_id", "must be a lower-case v4 UUID",
                    "pattern");
    if (made.decided_at.empty())
      made.decided_at = now;
    else if (!parse_timestamp(made.decided_at))
      return refuse(at + "/decided_at", "must be a date and time", "format");
    if (const auto reason = text_of(members, "reason"); !reason.empty())
      made.reason = reason;
    return made;
  }
};

result<json::array> read_array(const std::filesystem::path& file) {
  auto parsed = host::read_file(file).and_then(
    [](const std::string& text) { return parse_relaxed_json(text); });
  if (!parsed) {
    auto why = std::move(parsed).error();
    why.file = file.string();
    return fail(std::move(why));
  }
  const auto size = parsed->is_array() ? parsed->get_array().size() : 0;
  if (size == 0)
    return fail(host::file_error(errc::invalid_document, file,
                                 "must hold an array of decisions", "type"));
  if (size > decisions_max)
    return fail(host::file_error(
      errc::limit_reached, file,
      "has more than " + std::to_string(decisions_max) + " decisions",
      "decisions_max"));
  return std::move(parsed->get_array());
}

} // namespace

bool needs_approval(const session::spec& scenario) {
  return scenario.plan
         && (scenario.plan->status == plan_status::draft
             || scenario.plan->status == plan_status::proposed)
         && (!scenario.confirm
             || scenario.confirm->status == confirm_status::pending);
}

void add_decision(session::spec& scenario, confirm_decision decision,
                  uuid_source& ids, timestamp_ms now) {
  if (!scenario.confirm)
    scenario.confirm = confirm{.meta = scenario.plan->meta,
                               .confirm_id = to_string(ids.next()),
                               .target_type = confirm_target::plan,
                               .target_id = scenario.plan->plan_id,
                               .requested_by_role = "convene",
                               .requested_at = format_timestamp(now)};
  auto& made = *scenario.confirm;
  if (decision.status == decision_status::approved)
    made.status = confirm_status::approved;
  if (decision.decision_id.empty())
    decision.decision_id = to_string(ids.next());
  if (!made.decisions)
    made.decisions.emplace();
  made.decisions->push_back(std::move(decision));
}

result<void> take_decisions(session::spec& scenario,
                            const std::filesystem::path& file, uuid_source& ids,
                            timestamp_ms now) {
  const auto given = read_array(file);
  if (!given)
    return fail(given.error());
  if (!needs_approval(scenario))
    return {};
  const decision_reader reader{scenario, file, format_timestamp(now)};
  std::vector<confirm_decision> decisions;
  for (std::size_t i = 0; i < given->size(); ++i) {
    auto decision = reader.read((*given)[i], '/' + std::to_string(i));
    if (!decision)
      return fail(std::move(decision).error());
    decisions.push_back(*std::move(decision));
  }
  const auto& last = decisions.back();
  if (last.status != decision_status::approved)
    return fail(errc::not_allowed,
                "the plan was " + std::string{to_word(last.status)} + " by "
                  + quote(last.decided_by_role)
                  + (last.reason ? ": " + *last.reason : std::string{}),
                "plan_rejected");
  for (auto& each : decisions)
    add_decision(scenario, std::move(each), ids, now);
  return {};
}

} // namespace convene::cli
