#include <convene/cli/sessions/session_totals.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/runtime/session_documents.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace convene::cli {
namespace {

namespace json = protocol::json;

json::object counts_of(const session_totals::reasons& all) {
  json::object counts;
  for (const auto& [condition, sessions] : all)
    counts.emplace(condition, sessions);
  return counts;
}

} // namespace

void session_totals::add(const session_result& ended,
                         const host::turn_failures* failures) {
  turns_ += ended.turns;
  if (failures != nullptr) {
    turns_failed_ += failures->failed();
    turns_timed_out_ += failures->timed_out();
    writes_refused_ += failures->writes_refused();
  } else {
    knows_failures_ = false;
  }
  broadcasts_ += ended.broadcasts;
  conflicts_ += ended.conflicts;
  handoffs_ += ended.handoffs;
  usage_ = usage_ + ended.usage;
  for (const auto& [who, used] : ended.usage_by_participant) {
    auto& sum = used_by_[who];
    sum = sum + used;
  }
  ++outcomes_[ended.status][ended.stop_reason.condition];
  durations_.push_back(ended.duration_ms);
}

std::int64_t session_totals::duration_at(double share) const {
  const auto count = static_cast<double>(durations_.size());
  const auto rank = std::max(1.0, std::ceil(share * count)) - 1;
  const auto at = durations_.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(durations_, at);
  return *at;
}

json::object session_totals::to_json() const {
  json::value durations;
  if (!durations_.empty())
    durations = {{"min", duration_at(0)},
                 {"median", duration_at(0.5)},
                 {"p95", duration_at(0.95)},
                 {"max", duration_at(1)}};
  json::object outcomes;
  for (const auto& [status, reasons] : outcomes_)
    outcomes.emplace(protocol::to_word(status), counts_of(reasons));
  json::object totals{{"turns_total", turns_},
                      {"broadcasts_count", broadcasts_},
                      {"conflicts_count", conflicts_},
                      {"handoffs_count", handoffs_},
                      {"usage", host::usage_summary(usage_, used_by_)}};
  if (knows_failures_) {
    totals.emplace("turns_failed", turns_failed_);
    totals.emplace("turns_timed_out", turns_timed_out_);
    totals.emplace("writes_refused", writes_refused_);
  }
  return {{"totals", std::move(totals)},
          {"session_duration_ms", std::move(durations)},
          {"outcomes", std::move(outcomes)}};
}

std::string session_totals::text() const {
  if (durations_.empty())
    return {};
  auto all = plural(turns_, "turn");
  for (const auto& [count, what] : {std::pair{turns_failed_, "failed"},
                                    std::pair{turns_timed_out_, "timed out"}})
    if (knows_failures_ && count > 0)
      all += fmt::format(", {} {}", count, what);
  if (knows_failures_ && writes_refused_ > 0)
    all += fmt::format(", {} refused", plural(writes_refused_, "write"));
  all += fmt::format("; a session took {} ms (median), {} ms at most\n",
                     duration_at(0.5), duration_at(1));
  for (const auto& [status, reasons] : outcomes_)
    for (const auto& [condition, sessions] : reasons)
      all += fmt::format("  {} {}: {}\n", sessions, protocol::to_word(status),
                         neutral(condition));
  return all;
}

} // namespace convene::cli
