#include <convene/protocol/conversation/ids.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/same_value.hpp>
#include <convene/session/workflow/divergence_events.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace convene::session {
namespace {

using namespace protocol;
using type = workflow_event_type;

/// An event's payload, except what differs between any run and its fork.
json::value shared_payload(const run_event& event) {
  auto payload = event.payload.held;
  auto* const members = payload.if_object();
  if (members == nullptr)
    return payload;
  if (event.type == to_word(type::run_started))
    for (auto name : {"workflowVersion", "workflowDigest", "callbackDigest",
                      "parent", "forkedFrom"})
      members->erase(name);
  if (event.type.starts_with("interrupt."))
    members->erase("runId");
  return payload;
}

} // namespace

std::optional<placed_divergence>
find_divergence(const std::vector<run_event>& recorded,
                const std::vector<run_event>& again, std::size_t inherited) {
  auto source = recorded.begin() + static_cast<std::ptrdiff_t>(inherited);
  for (auto place = inherited;; ++place, ++source) {
    source = std::find_if(source, recorded.end(), [](const run_event& each) {
      return each.type != to_word(type::replay_diverged);
    });
    const bool has_source = source != recorded.end();
    const bool has_again = place < again.size();
    if (!has_source && !has_again)
      return std::nullopt;
    std::optional<divergence_kind> kind;
    if (!has_source)
      kind = divergence_kind::extra;
    else if (!has_again)
      kind = divergence_kind::missing;
    else if (source->type != again[place].type)
      kind = divergence_kind::type_mismatch;
    else if (source->node_id != again[place].node_id
             || !same_value(shared_payload(*source),
                            shared_payload(again[place])))
      kind = divergence_kind::output;
    if (!kind)
      continue;
    placed_divergence made{
      std::max<std::size_t>(place, 1),
      {.source_run_id = recorded.front().run_id,
       .at_sequence = has_source ? source->sequence
                                 : static_cast<std::int64_t>(recorded.size()),
       .kind = kind,
       .point = has_source ? source->type : again[place].type}};
    if (has_source)
      made.what.original_event_id = source->event_id;
    return made;
  }
}

std::vector<run_event> insert_divergences(std::vector<run_event> events,
                                          std::vector<placed_divergence> all) {
  std::ranges::stable_sort(all, {}, &placed_divergence::place);
  std::vector<run_event> made;
  made.reserve(events.size() + all.size());
  std::map<std::string, std::string> renamed;
  const auto run_id = events.front().run_id;
  auto next = all.begin();
  for (std::size_t i = 0; i <= events.size(); ++i) {
    for (; next != all.end() && next->place == i; ++next) {
      const auto after = static_cast<std::int64_t>(
        made.size()
        + static_cast<std::size_t>(
          std::count_if(next, all.end(), [i](const placed_divergence& each) {
            return each.place == i;
          })));
      if (i < events.size())
        next->what.replay_event_id = run_event_id(run_id, after);
      const auto sequence = static_cast<std::int64_t>(made.size());
      made.push_back({.event_id = run_event_id(run_id, sequence),
                      .run_id = run_id,
                      .type = std::string{to_word(type::replay_diverged)},
                      .payload = {encode(next->what)},
                      .timestamp = made.back().timestamp,
                      .sequence = sequence,
                      .causation_id = made.back().event_id});
    }
    if (i == events.size())
      break;
    auto& event = events[i];
    event.sequence = static_cast<std::int64_t>(made.size());
    if (made.size() != i) {
      auto id = run_event_id(run_id, event.sequence);
      renamed.emplace(std::exchange(event.event_id, id), id);
      if (event.causation_id)
        if (const auto cause = renamed.find(*event.causation_id);
            cause != renamed.end())
          event.causation_id = cause->second;
    }
    made.push_back(std::move(event));
  }
  return made;
}

} // namespace convene::session
