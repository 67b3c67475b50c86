#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/events/event_encoder.hpp>
#include <convene/protocol/events/event_encoding.hpp>

namespace convene::protocol {
namespace {

void claim_members(event_encoder& v, const claim& what) {
  v.text("resource_type"_m, what.resource_type);
  v.text("resource_id"_m, what.resource_id);
  v.flag("release"_m, what.release);
  v.optional("to"_m, what.to);
}

void ref_members(event_encoder& v, const resource_ref& what) {
  v.text("resource_type"_m, what.resource_type);
  v.text("resource_id"_m, what.resource_id);
}

void write_members(event_encoder& v, const resource_write& what) {
  v.text("resource_type"_m, what.resource_type);
  v.text("resource_id"_m, what.resource_id);
  v.number("base_version"_m, what.base_version);
  if (what.op != write_op::put)
    v.text("op"_m, to_word(what.op));
  v.value("value"_m, what.value.is_null() ? nullptr : &what.value);
}

void task_members(event_encoder& v, const task& what) {
  v.text("title"_m, what.title);
  v.optional("description"_m, what.description);
  v.strings("resources"_m, what.resources);
  v.optional("role"_m, what.role);
}

void handoff_members(event_encoder& v, const handoff& what) {
  v.text("to"_m, what.to);
  v.optional("instructions"_m, what.instructions);
  v.optional("reason"_m, what.reason);
}

/// The one member that a decision has.
struct decision_member {
  event_encoder& v;

  void operator()(const dispatch_decision& x) const {
    v.object("dispatch"_m, [&](event_encoder& to) {
      to.optional("participant"_m, x.participant);
      to.optional("role"_m, x.role);
      to.optional("task"_m, x.task);
      to.optional("step_id"_m, x.step_id);
      if (x.resources)
        to.list<2>("resources"_m, std::span<const resource_ref>{*x.resources},
                   ref_members);
    });
  }

  void operator()(const broadcast_decision& x) const {
    v.object("broadcast"_m,
             [&](event_encoder& to) { to.optional("task"_m, x.task); });
  }

  void operator()(const close_step_decision& x) const {
    v.object("close_step"_m, [&](event_encoder& to) {
      to.text("step_id"_m, x.step_id);
      to.flag("skip"_m, x.skip);
      to.optional("reason"_m, x.reason);
    });
  }

  void operator()(const complete_decision& x) const {
    v.object("complete"_m, [&](event_encoder& to) {
      to.optional_flag("success"_m,
                       x.success ? std::nullopt : std::optional{false});
      to.optional("reason"_m, x.reason);
    });
  }

  void operator()(const wait_decision&) const {
    v.object("wait"_m, [](event_encoder&) {});
  }

  void operator()(const handoff& x) const {
    v.object("handoff"_m, [&](event_encoder& to) { handoff_members(to, x); });
  }

  void operator()(const ask_decision& x) const {
    v.object("ask"_m, [&](event_encoder& to) {
      to.optional("participant"_m, x.participant);
      to.text("task"_m, x.task);
    });
  }
};

void reply_members(event_encoder& v, const reply& what) {
  if (what.status != reply_status::completed)
    v.text("status"_m, to_word(what.status));
  v.optional("content"_m, what.content);
  v.list_if<5>(!what.writes.empty(), "writes"_m,
               std::span<const resource_write>{what.writes}, write_members);
  v.list_if<4>(!what.claim.empty(), "claim"_m,
               std::span<const claim>{what.claim}, claim_members);
  v.flag("claim_all"_m, what.claim_all);
  if (what.handoff)
    v.object("handoff"_m,
             [&](event_encoder& to) { handoff_members(to, *what.handoff); });
  if (what.vote)
    v.object("vote"_m, [&](event_encoder& to) {
      to.text("conflict_id"_m, what.vote->conflict_id);
      to.text("for"_m, what.vote->in_favour_of);
    });
  v.list_if<4>(!what.tasks.empty(), "tasks"_m,
               std::span<const task>{what.tasks}, task_members);
  v.list_if<1>(!what.decision.empty(), "decision"_m,
               std::span<const decision>{what.decision},
               [](event_encoder& each, const decision& one) {
                 std::visit(decision_member{each}, one);
               });
  v.flag("end"_m, what.end);
  if (what.usage != usage{})
    v.object("usage"_m, [&](event_encoder& to) {
      to.number("prompt_tokens"_m, what.usage.prompt_tokens);
      to.number("completion_tokens"_m, what.usage.completion_tokens);
      to.number("cost_microusd"_m, what.usage.cost_microusd);
    });
  v.strings("reasoning"_m, what.reasoning);
  if (!what.result.empty()) {
    const json::value result(what.result);
    v.value("result"_m, &result);
  }
  if (what.error != reply_error{})
    v.object("error"_m, [&](event_encoder& to) {
      to.text("code"_m, what.error.code);
      to.text("message"_m, what.error.message);
    });
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
  event_encoder{out}.members([&](event_encoder& v) { write_members(v, what); });
}

void write_claim(json_writer& out, const claim& what) {
  event_encoder{out}.members([&](event_encoder& v) { claim_members(v, what); });
}

void write_reply(json_writer& out, const reply& what) {
  event_encoder{out}.members([&](event_encoder& v) { reply_members(v, what); });
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
  return cut_utf8(text, summary_bytes_max);
}

} // namespace convene::protocol
