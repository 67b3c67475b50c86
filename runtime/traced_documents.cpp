#include <convene/runtime/traced_documents.hpp>

namespace convene::host {

session_documents make_documents(const session_result& from,
                                 const trace_builder& events) {
  const auto plan_id = from.plan ? std::optional{from.plan->plan_id}
                                 : std::nullopt;
  auto made = make_documents(from, events.finish(from.collab, plan_id));
  for (auto& member : events.failures().members())
    made.result.emplace(member.key(), std::move(member.value()));
  return made;
}

} // namespace convene::host
