#include <convene/protocol/documents/document_codec.hpp>
#include <convene/runtime/session_documents.hpp>

namespace convene::host {
namespace {

namespace json = protocol::json;

template <class T>
json::object object_of(const T& document) {
  return std::move(protocol::encode(document).as_object());
}

template <class T>
std::optional<json::object> object_of(const std::optional<T>& document) {
  if (!document)
    return std::nullopt;
  return object_of(*document);
}

template <class T>
std::vector<json::object> objects_of(const std::vector<T>& documents) {
  std::vector<json::object> all;
  for (const auto& each : documents)
    all.push_back(object_of(each));
  return all;
}

json::object sum_of(const protocol::usage& what) {
  return {{"tokens", protocol::total_tokens(what)},
          {"cost_microusd", what.cost_microusd}};
}

} // namespace

json::object
usage_summary(const protocol::usage& all,
              const std::map<std::string, protocol::usage>& by_participant) {
  json::object each;
  for (const auto& [who, used] : by_participant)
    each.emplace(who, sum_of(used));
  auto made = sum_of(all);
  made.emplace("by_participant", std::move(each));
  return made;
}

json::object make_summary(const session_result& from,
                          const turn_failures& failures) {
  const auto& [condition, observed, limit] = from.stop_reason;
  json::object made{
    {"session_id", from.collab.collab_id},
    {"status", protocol::to_word(from.status)},
    {"stop_reason",
     {{"condition", condition},
      {"observed", observed},
      // Not value{limit}, which is an array of one.
      {"limit", limit < 0 ? json::value() : json::value(limit)}}},
    {"mode", protocol::to_word(from.collab.mode)},
    {"turns_total", from.turns},
    {"broadcasts_count", from.broadcasts},
    {"conflicts_count", from.conflicts},
    {"handoffs_count", from.handoffs},
    {"duration_ms", from.duration_ms},
    {"usage", usage_summary(from.usage, from.usage_by_participant)}};
  for (auto& member : failures.members())
    made.emplace(member.key(), std::move(member.value()));
  return made;
}

session_documents make_documents(const session_result& from,
                                 trace_builder& events) {
  const auto plan_id = from.plan ? std::optional{from.plan->plan_id}
                                 : std::nullopt;
  return {.session_id = from.collab.collab_id,
          .collab = object_of(from.collab),
          .dialog = session::make_session_dialog(from.report),
          .context = object_of(from.context),
          .plan = from.plan ? std::optional{object_of(*from.plan)}
                            : std::nullopt,
          .trace = events.finish(from.collab, plan_id),
          .confirm = object_of(from.confirm),
          .extensions = objects_of(from.report->extensions),
          .extension_confirms = objects_of(from.report->extension_confirms),
          .core = object_of(from.report->core),
          .network = object_of(from.report->network),
          .workspace = make_workspace_document(*from.report),
          .result = make_summary(from, events.failures())};
}

} // namespace convene::host
