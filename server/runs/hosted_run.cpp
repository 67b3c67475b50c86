#include <boost/json/serialize.hpp>
#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/codec/text_writer.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/json_writer.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/runs/hosted_run.hpp>

#include <algorithm>

namespace convene::server {
namespace {

using protocol::result;

result<protocol::run_event> read_event(std::string_view text) {
  const auto parsed = protocol::parse_json(text);
  if (!parsed)
    return protocol::fail(parsed.error());
  return protocol::decode<protocol::run_event>(*parsed);
}

result<void> fold_all(session::run_machine& into,
                      const std::vector<event_text>& events) {
  for (const auto& text : events) {
    const auto event = read_event(*text);
    if (!event)
      return protocol::fail(event.error());
    if (auto ok = into.fold(*event); !ok)
      return ok;
  }
  return into.check_whole();
}

/// As `encode` has it, but without a copy of the payload.
std::string text_of_event(const protocol::run_event& event) {
  const auto as_encoded = [&event] {
    return boost::json::serialize(protocol::encode(event));
  };
  if (event.schema_version || event.engine_version || !event.others.empty())
    return as_encoded();
  protocol::byte_buffer made;
  bool is_whole = true;
  {
    protocol::json_writer to{made};
    to.raw(R"({"eventId":)").string(event.event_id);
    to.raw(R"(,"runId":)").string(event.run_id);
    to.raw(R"(,"type":)").string(event.type);
    is_whole = write_sound_value(to.raw(R"(,"payload":)"), event.payload.held);
    to.raw(R"(,"timestamp":)").string(event.timestamp);
    to.raw(R"(,"sequence":)").number(event.sequence);
    if (event.node_id)
      to.raw(R"(,"nodeId":)").string(*event.node_id);
    if (event.causation_id)
      to.raw(R"(,"causationId":)").string(*event.causation_id);
    to.raw("}");
  }
  // What nests deeper than most is left out.
  return is_whole ? std::string{made.view()} : as_encoded();
}

} // namespace

std::vector<event_text>
texts_of(const std::vector<protocol::run_event>& events) {
  std::vector<event_text> texts;
  texts.reserve(events.size());
  for (const auto& event : events)
    texts.push_back(std::make_shared<const std::string>(text_of_event(event)));
  return texts;
}

std::vector<protocol::run_event>
events_of(const std::vector<event_text>& texts) {
  std::vector<protocol::run_event> events;
  events.reserve(texts.size());
  for (const auto& text : texts)
    if (auto event = read_event(*text))
      events.push_back(*std::move(event));
  return events;
}

std::string run_claim(const boost::json::object& metadata) {
  std::string made{protocol::text_of(metadata, "tenantId")};
  return made.append(1, '\0').append(protocol::text_of(metadata, "scopeId"));
}

void restore(hosted_run& run, std::vector<event_text> events) {
  if (auto ok = fold_all(run.machine, events); !ok)
    run.failure = std::move(ok).error();
  if (const auto& started = run.machine.state().started) {
    run.claim = run_claim(started->metadata);
    run.is_child = started->parent.has_value();
  }
  const auto count = events.size();
  const bool ends = count != 0 && is_last_event(*events.back());
  run.record->add(std::move(events));
  run.record->show(count, ends);
}

std::string digest_of(const std::vector<event_text>& events) {
  if (events.empty())
    return {};
  const auto first = read_event(*events.front());
  const auto* payload = first ? first->payload.held.if_object() : nullptr;
  return payload != nullptr
           ? std::string{protocol::text_of(*payload, "workflowDigest")}
           : std::string{};
}

bool is_first_event(std::string_view event) {
  const auto parsed = protocol::parse_json(event);
  const auto* members = parsed ? parsed->if_object() : nullptr;
  return members && protocol::text_of(*members, "type") == "run.started";
}

bool is_last_event(std::string_view event) {
  static constexpr std::string_view words[]{"run.completed", "run.failed",
                                            "run.cancelled"};
  // What is inside of a payload does not count, so a mention is looked at.
  if (std::ranges::none_of(words, [event](std::string_view word) {
        return event.find(word) != event.npos;
      }))
    return false;
  const auto parsed = protocol::parse_json(event);
  const auto* members = parsed ? parsed->if_object() : nullptr;
  return members
         && std::ranges::find(words, protocol::text_of(*members, "type"))
              != std::end(words);
}

} // namespace convene::server
