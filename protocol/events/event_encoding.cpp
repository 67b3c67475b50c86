#include <boost/json/serialize.hpp>
#include <convene/protocol/events/event_encoding.hpp>

namespace convene::protocol {
namespace {

template <class Range, class Write>
void write_array(json_writer& out, const Range& range, Write write) {
  out.raw("[");
  bool first = true;
  for (const auto& element : range) {
    if (!first)
      out.raw(",");
    first = false;
    write(element);
  }
  out.raw("]");
}

void write_task(json_writer& out, const task& what) {
  out.string(R"({"title":)", what.title);
  optional_member(out, R"(,"description":)", what.description);
  if (!what.resources.empty()) {
    out.raw(R"(,"resources":)");
    write_array(out, what.resources, [&](const auto& r) { out.string(r); });
  }
  optional_member(out, R"(,"role":)", what.role);
  out.raw("}");
}

/// Writes members with commas between them, whichever of them are there.
class members {
public:
  explicit members(json_writer& out) : out_(out) {
    // nop
  }

  template <std::size_t N>
  json_writer& name(const char (&quoted_and_colon)[N]) {
    comma();
    return out_.raw(quoted_and_colon);
  }

  template <std::size_t N>
  void text(const char (&quoted_and_colon)[N], std::string_view value) {
    if (value.empty())
      return;
    comma();
    out_.string(quoted_and_colon, value);
  }

private:
  void comma() {
    if (!first_)
      out_.raw(",");
    first_ = false;
  }

  json_writer& out_;
  bool first_ = true;
};

void write_handoff(json_writer& out, const handoff& what) {
  out.string(R"({"to":)", what.to);
  optional_member(out, R"(,"instructions":)", what.instructions);
  optional_member(out, R"(,"reason":)", what.reason);
  out.raw("}");
}

struct write_decision {
  json_writer& out;

  void operator()(const dispatch_decision& x) const {
    out.raw(R"({"dispatch":{)");
    members list{out};
    list.text(R"("participant":)", x.participant);
    list.text(R"("role":)", x.role);
    list.text(R"("task":)", x.task);
    list.text(R"("step_id":)", x.step_id);
    if (x.resources)
      write_resources(list.name(R"("resources":)"), *x.resources);
    out.raw("}}");
  }

  void operator()(const broadcast_decision& x) const {
    out.raw(R"({"broadcast":{)");
    members{out}.text(R"("task":)", x.task);
    out.raw("}}");
  }

  void operator()(const close_step_decision& x) const {
    out.string(R"({"close_step":{"step_id":)", x.step_id);
    if (x.skip)
      out.raw(R"(,"skip":true)");
    optional_member(out, R"(,"reason":)", x.reason);
    out.raw("}}");
  }

  void operator()(const complete_decision& x) const {
    out.raw(R"({"complete":{)");
    members list{out};
    if (!x.success)
      list.name(R"("success":)").raw("false");
    list.text(R"("reason":)", x.reason);
    out.raw("}}");
  }

  void operator()(const wait_decision&) const {
    out.raw(R"({"wait":{}})");
  }

  void operator()(const handoff& x) const {
    write_handoff(out.raw(R"({"handoff":)"), x);
    out.raw("}");
  }

  void operator()(const ask_decision& x) const {
    out.raw(R"({"ask":{)");
    members list{out};
    list.text(R"("participant":)", x.participant);
    list.name(R"("task":)").string(x.task);
    out.raw("}}");
  }
};

void write_usage(json_writer& out, const usage& what) {
  out.number(R"({"prompt_tokens":)", what.prompt_tokens);
  out.number(R"(,"completion_tokens":)", what.completion_tokens);
  out.number(R"(,"cost_microusd":)", what.cost_microusd).raw("}");
}

} // namespace

void write_value(json_writer& out, const json::value& value) {
  out.raw(std::string_view{json::serialize(value)});
}

void write_dollars(json_writer& out, std::int64_t microusd) {
  constexpr double micro = 1e6;
  write_value(out, json::value(static_cast<double>(microusd) / micro));
}

void write_write(json_writer& out, const resource_write& what) {
  out.string(R"({"resource_type":)", what.resource_type);
  out.string(R"(,"resource_id":)", what.resource_id);
  out.number(R"(,"base_version":)", what.base_version);
  if (what.op != write_op::put)
    out.string(R"(,"op":)", to_word(what.op));
  if (!what.value.is_null())
    write_value(out.raw(R"(,"value":)"), what.value);
  out.raw("}");
}

void write_resources(json_writer& out, std::span<const resource_ref> all) {
  write_array(out, all, [&](const resource_ref& r) {
    out.string(R"({"resource_type":)", r.resource_type);
    out.string(R"(,"resource_id":)", r.resource_id).raw("}");
  });
}

void write_claim(json_writer& out, const claim& what) {
  out.string(R"({"resource_type":)", what.resource_type);
  out.string(R"(,"resource_id":)", what.resource_id);
  if (what.release)
    out.raw(R"(,"release":true)");
  optional_member(out, R"(,"to":)", what.to);
  out.raw("}");
}

void write_reply(json_writer& out, const reply& what) {
  out.raw("{");
  members list{out};
  if (what.status != reply_status::completed)
    list.name(R"("status":)").string(to_word(what.status));
  list.text(R"("content":)", what.content);
  if (!what.writes.empty()) {
    list.name(R"("writes":)");
    write_array(out, what.writes,
                [&](const resource_write& w) { write_write(out, w); });
  }
  if (!what.claim.empty()) {
    list.name(R"("claim":)");
    write_array(out, what.claim, [&](const claim& c) { write_claim(out, c); });
  }
  if (what.claim_all)
    list.name(R"("claim_all":)").raw("true");
  if (what.handoff)
    write_handoff(list.name(R"("handoff":)"), *what.handoff);
  if (what.vote) {
    list.name(R"("vote":)").raw(R"({"conflict_id":)");
    out.string(what.vote->conflict_id);
    out.string(R"(,"for":)", what.vote->in_favour_of).raw("}");
  }
  if (!what.tasks.empty()) {
    list.name(R"("tasks":)");
    write_array(out, what.tasks, [&](const task& t) { write_task(out, t); });
  }
  if (!what.decision.empty()) {
    list.name(R"("decision":)");
    write_array(out, what.decision, [&](const protocol::decision& d) {
      std::visit(write_decision{out}, d);
    });
  }
  if (what.end)
    list.name(R"("end":)").raw("true");
  if (what.usage != usage{})
    write_usage(list.name(R"("usage":)"), what.usage);
  if (!what.reasoning.empty()) {
    list.name(R"("reasoning":)");
    write_array(out, what.reasoning, [&](const auto& r) { out.string(r); });
  }
  if (!what.result.empty())
    write_value(list.name(R"("result":)"), what.result);
  if (what.error != reply_error{}) {
    list.name(R"("error":)").string(R"({"code":)", what.error.code);
    out.string(R"(,"message":)", what.error.message).raw("}");
  }
  out.raw("}");
}

void write_result(json_writer& out, std::string_view status,
                  const json::object& more) {
  out.string(R"({"status":)", status);
  for (const auto& [name, value] : more) {
    if (name == "status")
      continue;
    out.string(",", name).raw(":");
    write_value(out, value);
  }
  out.raw("}");
}

std::string_view summary_of(std::string_view text) noexcept {
  if (text.size() <= summary_bytes_max)
    return text;
  auto end = summary_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return text.substr(0, end);
}

} // namespace convene::protocol
