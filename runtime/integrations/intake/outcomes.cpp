#include <convene/protocol/json/members.hpp>
#include <convene/runtime/integrations/intake/outcomes.hpp>

#include <algorithm>
#include <tuple>

namespace convene::host {
namespace {

using namespace convene::protocol;

outcome_word outcome_of(std::string_view status) {
  if (status == "succeeded")
    return outcome_word::succeeded;
  return status == "pending" || status == "running" ? outcome_word::open
                                                    : outcome_word::failed;
}

} // namespace

result<void> outside_outcomes::take(const incoming& what) {
  const bool ci = what.kind == incoming_kind::ci;
  if (!ci && what.kind != incoming_kind::tool)
    return {};
  const auto& payload = object_of(what.event, "payload");
  if (ci && !commit_.empty() && text_of(payload, "commit_id") != commit_)
    return {};
  outside_outcome next{
    .kind = what.kind,
    .name = std::string{text_of(payload, ci ? "pipeline_id" : "tool_id")},
    .run = std::string{text_of(payload, ci ? "run_id" : "invocation_id")},
    .status = std::string{text_of(payload, "status")}};
  next.outcome = outcome_of(next.status);
  const std::string of = (ci ? "ci " : "tool ")
                         + std::string{text_of(payload, "ci_provider")} + ' '
                         + next.name;
  auto& runs = runs_[of];
  run given{std::move(next), {what.at, ++taken_}};
  const auto found = runs.find(given.what.run);
  if (found == runs.end()) {
    if (size_ == outside_runs_max)
      return fail(errc::limit_reached,
                  "has over " + std::to_string(outside_runs_max)
                    + " runs of CI and tools; keep the latest in a log of "
                      "their own",
                  "outside_runs_max");
    ++size_;
    auto id = given.what.run;
    runs.emplace(std::move(id), std::move(given));
    return {};
  }
  auto& is = found->second;
  const auto rank = [](const run& one) {
    return std::tuple{one.what.outcome != outcome_word::open, one.at};
  };
  const auto at = std::max(given.at, is.at);
  if (rank(given) >= rank(is))
    is = std::move(given);
  is.at = at;
  return {};
}

std::vector<outside_outcome> outside_outcomes::latest() const {
  std::vector<outside_outcome> all;
  for (const auto& [of, runs] : runs_)
    all.push_back(std::ranges::max_element(runs, {}, [](const auto& each) {
                    return each.second.at;
                  })->second.what);
  return all;
}

} // namespace convene::host
