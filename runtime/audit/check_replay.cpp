#include <convene/protocol/json/members.hpp>
#include <convene/runtime/audit/check_replay.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

constexpr std::size_t divergences_kept = 100;

/// Where the lines part, with what comes before and after.
std::string part_of(const std::string& line, std::size_t at) {
  constexpr std::size_t before = 20;
  if (line.empty())
    return "nothing";
  return quote(std::string_view{line}.substr(at > before ? at - before : 0));
}

std::string describe(const log_divergence& found) {
  if (found.expected.empty() && found.actual.empty())
    return found.message;
  const auto same = std::ranges::mismatch(found.expected, found.actual);
  const auto at = static_cast<std::size_t>(same.in1 - found.expected.begin());
  return found.message + ": expected " + part_of(found.expected, at)
         + ", found " + part_of(found.actual, at);
}

} // namespace

replay_comparison::replay_comparison(documents of)
  : documents_{std::move(of)}, again_{[this](std::string_view id) {
                                        return wanted_.contains(id)
                                               || documents_.has_documents(id);
                                      },
                                      documents_.on_end} {
  // nop
}

void replay_comparison::feed(const log_place& place, std::string_view text,
                             const json::value& event) {
  const auto* object = event.if_object();
  if (object == nullptr)
    return;
  const auto id = text_of(*object, "session_id");
  if (can_be_recomputed(*object))
    wanted_.emplace(id);
  again_.feed(place, id, text);
}

replay_comparison::outcome replay_comparison::finish(const std::string& log) {
  outcome made;
  for (const auto& one : again_.finish()) {
    // Of one made by other rules, nothing can be said.
    const bool was_compared = wanted_.contains(one.id)
                              && (!one.divergence
                                  || one.divergence->rule.empty());
    made.sessions += was_compared ? 1 : 0;
    if (!one.divergence)
      continue;
    made.documents_left += documents_.has_documents(one.id) ? 1 : 0;
    if (!was_compared)
      continue;
    const auto& found = *one.divergence;
    if (++made.findings_total > divergences_kept)
      continue;
    made.findings.push_back({found.line == 0 ? log : found.file,
                             found.line,
                             {.rule = "recomputed",
                              .session_id = one.id,
                              .message = describe(found)}});
  }
  return made;
}

} // namespace convene::host
