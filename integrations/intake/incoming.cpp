#include <convene/integrations/drift/file_updates.hpp>
#include <convene/integrations/intake/incoming.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/boundary/conformance.hpp>
#include <convene/protocol/drift/drift.hpp>
#include <convene/protocol/events/integration_events.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

struct incoming_type {
  std::string_view type;
  std::string_view schema;
  std::array<std::string_view, 4> key;   ///< members of the payload
  std::array<std::string_view, 3> times; ///< the first that is there counts
};

/// In the order of `incoming_kind`.
constexpr std::array types{
  incoming_type{
    "file_update", "mplp-file-update-event", {"file_path"}, {"timestamp"}},
  incoming_type{"git_operation",
                "mplp-git-event",
                {"repo_url", "ref_name", "commit_id", "event_kind"},
                {"timestamp"}},
  incoming_type{"ci_pipeline",
                "mplp-ci-event",
                {"ci_provider", "pipeline_id", "run_id", "status"},
                {"completed_at", "started_at"}},
  incoming_type{"tool_execution",
                "mplp-tool-event",
                {"tool_id", "invocation_id", "status"},
                {"completed_at", "started_at"}}};

tl::unexpected<error> bad_incoming(std::string message, std::string pointer,
                                   std::string rule) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule)});
}

result<void> check_paths(const json::object& payload) {
  for (const auto* member : {"file_path", "previous_path"})
    if (payload.contains(member))
      if (const auto why = why_not_below(text_of(payload, member));
          !why.empty())
        return bad_incoming("the path " + quote(text_of(payload, member)) + ' '
                              + std::string{why},
                            "/payload/" + std::string{member}, "path");
  return {};
}

result<void> check_identity(const incoming_type& type,
                            const json::object& payload) {
  for (const auto member : type.key)
    if (!member.empty() && text_of(payload, member).size() > identity_bytes_max)
      return fail({.code = errc::limit_reached,
                   .message = "is longer than "
                              + std::to_string(identity_bytes_max) + " bytes",
                   .pointer = "/payload/" + std::string{member},
                   .rule = "identity_bytes_max"});
  return {};
}

/// A branch of one commit, or a tag, may come, go and come again, and be pushed
/// back to where it was.
bool can_recur(const json::object& payload) {
  const auto kind = from_word<git_event_kind>(text_of(payload, "event_kind"));
  return kind == git_event_kind::branch_create
         || kind == git_event_kind::branch_delete
         || kind == git_event_kind::push || kind == git_event_kind::tag;
}

/// What the parts say cannot be mistaken for one another.
std::string key_of(const incoming_type& type, const json::object& payload,
                   timestamp_ms at) {
  std::string key{type.type};
  for (const auto member : type.key)
    if (!member.empty()) {
      const auto part = text_of(payload, member);
      key += ' ' + std::to_string(part.size()) + ':';
      key += part;
    }
  if (can_recur(payload))
    key += ' ' + std::to_string(at);
  return hex_digest_of(key);
}

/// The type of a payload that has no envelope: by the member that only one of
/// them has. The end: it is none, or it could be several.
const incoming_type* type_of_bare(const json::object& payload) {
  const incoming_type* found = types.end();
  for (const auto& each : types)
    if (payload.contains(each.key.front())) {
      if (found != types.end())
        return types.end();
      found = &each;
    }
  return found;
}

result<json::value> parse_bounded(std::string_view text) {
  if (text.size() > event_bytes_max)
    return fail({.code = errc::limit_reached,
                 .message = "is longer than " + std::to_string(event_bytes_max)
                            + " bytes",
                 .rule = "event_bytes_max"});
  return parse_json(text);
}

} // namespace

result<void> check_source(std::string_view source) {
  if (source.find_first_not_of(" \t") != source.npos
      && source.size() <= source_bytes_max)
    return {};
  return bad_incoming("names no source in 1 to "
                        + std::to_string(source_bytes_max)
                        + " bytes: say which program it is from",
                      "/source", "source");
}

result<incoming> read_incoming(const json::value& event) {
  const auto* const object = event.if_object();
  if (object != nullptr && !object->contains("event_type"))
    return bad_incoming("has no envelope: make it the payload of a core event "
                        "of the family external_integration that names its "
                        "source",
                        "", "source");
  if (auto done = boundary::check_conformance(event, "mplp-event-core"); !done)
    return fail(std::move(done).error());
  if (text_of(*object, "event_family") != "external_integration")
    return bad_incoming("is of another family than external_integration",
                        "/event_family", "event_family");
  const auto source = text_of(*object, "source");
  if (auto named = check_source(source); !named)
    return fail(std::move(named).error());
  const auto type = std::ranges::find(types, text_of(*object, "event_type"),
                                      &incoming_type::type);
  if (type == types.end())
    return bad_incoming("is none of file_update, git_operation, ci_pipeline "
                        "and tool_execution",
                        "/event_type", "event_type");
  const auto* const payload = object->if_contains("payload");
  if (payload == nullptr)
    return bad_incoming("has no payload", "/payload", "required");
  auto done
    = boundary::check_conformance(*payload, type->schema, "/payload")
        .and_then([&] { return check_paths(payload->get_object()); })
        .and_then([&] { return check_identity(*type, payload->get_object()); });
  if (!done)
    return fail(std::move(done).error());
  const auto& members = payload->get_object();
  auto at = parse_timestamp(text_of(*object, "timestamp"));
  for (const auto time : type->times)
    if (!time.empty() && members.contains(time)) {
      at = parse_timestamp(text_of(members, time));
      break;
    }
  if (!at)
    return bad_incoming("is not a time", "/timestamp", "format");
  return incoming{.kind = static_cast<incoming_kind>(type - types.begin()),
                  .source = std::string{source},
                  .key = key_of(*type, members, *at),
                  .at = *at,
                  .event = *object};
}

result<incoming> read_incoming_line(std::string_view line) {
  const auto event = parse_bounded(line);
  return event ? read_incoming(*event) : fail(event.error());
}

result<incoming> read_dropped(std::string_view text, std::string_view source,
                              timestamp_ms now) {
  auto event = parse_bounded(text);
  if (!event)
    return fail(std::move(event).error());
  auto* const object = event->if_object();
  if (object == nullptr || object->contains("event_type"))
    return read_incoming(*event);
  const auto* const type = type_of_bare(*object);
  if (type == types.end())
    return read_incoming(*event);
  object->erase("$comment");
  // The same payload has the same id, also if it is read again.
  std::string named{"dropped\n"};
  named.append(source).append(1, '\n').append(text);
  return make_incoming(static_cast<incoming_kind>(type - types.begin()), source,
                       *std::move(event), hashed_uuid(named), now);
}

result<incoming> make_incoming(incoming_kind kind, std::string_view source,
                               json::value payload, const uuid& id,
                               timestamp_ms at) {
  return read_incoming(
    json::object{{"event_id", to_string(id)},
                 {"event_type", types.at(static_cast<std::size_t>(kind)).type},
                 {"event_family", "external_integration"},
                 {"timestamp", format_timestamp(at)},
                 {"source", source},
                 {"payload", std::move(payload)}});
}

} // namespace convene::host
