#include <convene/integrations/intake/outcomes.hpp>
#include <convene/protocol/json/members.hpp>

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
  std::array of{std::string{ci ? "ci" : "tool"},
                std::string{text_of(payload, "ci_provider")}, next.name,
                next.run};
  run given{std::move(next), {what.at, ++taken_}};
  const auto found = runs_.find(of);
  if (found == runs_.end()) {
    if (runs_.size() == outside_runs_max)
      return fail(errc::limit_reached,
                  "has over " + std::to_string(outside_runs_max)
                    + " runs of CI and tools; keep the latest in a log of "
                      "their own",
                  "outside_runs_max");
    runs_.emplace(std::move(of), std::move(given));
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
  for (auto at = runs_.begin(); at != runs_.end();) {
    const auto is_other = [&of = at->first](const auto& each) {
      return !std::equal(of.begin(), of.end() - 1, each.first.begin());
    };
    const auto end = std::find_if(at, runs_.end(), is_other);
    const auto last = std::max_element(at, end,
                                       [](const auto& a, const auto& b) {
                                         return a.second.at < b.second.at;
                                       });
    all.push_back(last->second.what);
    at = end;
  }
  return all;
}

} // namespace convene::host
