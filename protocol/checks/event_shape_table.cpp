#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/checks/event_shape_table.hpp>
#include <convene/protocol/events/describe_workspace_events.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::protocol {
// With a name, so that the kinds' names stay in it.
namespace event_shapes {
namespace {

using enum member_kind;

/// Lists the members that a description shows, whatever the event has.
class shape_lister {
public:
  event_type_shape made;

  void type(auto m, std::string_view value) {
    made.type = value;
    add(m, name);
  }
  void text(auto m, std::string_view, member_kind is = member_kind::text) {
    add(m, is);
  }
  void optional(auto m, std::string_view, member_kind is = member_kind::text) {
    add(m, is, true);
  }
  void id(auto m, const uuid&, member_kind is = member_kind::id) {
    add(m, is);
  }
  void optional_id(auto m, const uuid&) {
    add(m, member_kind::id, true);
  }
  void key(auto m, const uuid&) {
    add(m, member_kind::key);
  }
  void time(auto m, timestamp_ms) {
    add(m, member_kind::time);
  }
  void optional_time(auto m, timestamp_ms) {
    add(m, member_kind::time, true);
  }
  void number(auto m, std::int64_t, member_kind is = count) {
    add(m, is);
  }
  void number_if(bool, auto m, std::int64_t) {
    add(m, count, true);
  }
  void dollars(auto m, std::int64_t) {
    add(m, amount);
  }
  void dollars_if(bool, auto m, std::int64_t) {
    add(m, amount, true);
  }
  void numbers(auto m, std::span<const std::uint64_t>) {
    add(m, any, true);
  }
  void constant(auto m, auto value, member_kind is) {
    if (m.text == "event_type")
      made.type = value.text;
    if (m.text == "event_family")
      made.family = value.text;
    add(m, is);
  }
  void constant_if(bool, auto m, auto) {
    add(m, name, true);
  }
  void fixed(auto m, auto, member_kind is) {
    add(m, is);
  }
  void flag(auto m, bool) {
    add(m, any, true);
  }
  void single(auto m, std::string_view) {
    add(m, names, true);
  }
  template <class T>
  void items(auto m, std::span<const T>, std::string_view T::*) {
    add(m, names);
  }
  template <class T>
  void items_if_any(auto m, std::span<const T>, std::string_view T::*) {
    add(m, names, true);
  }
  void json_text(auto m, std::string_view, member_kind is) {
    add(m, is);
  }
  void value(auto m, const json::value*) {
    add(m, any, true);
  }
  void reply(auto m, const protocol::reply*) {
    add(m, member_kind::object, true);
  }
  void result(auto m, std::string_view, const protocol::reply*) {
    add(m, member_kind::object);
  }

  template <class F>
  void object(auto m, const F& list) {
    within(add(m, member_kind::object), [&] { list(*this); });
  }
  template <std::size_t, class F>
  void object_if(bool, auto m, const F& list) {
    within(add(m, member_kind::object, true), [&] { list(*this); });
  }
  template <std::size_t, std::size_t = 0, class T, class F>
  void list(auto m, std::span<const T>, const F& each) {
    within(add(m, member_kind::list), [&] { each(*this, T{}); });
  }
  template <std::size_t, class T, class F>
  void list_if(bool, auto m, std::span<const T>, const F& each) {
    within(add(m, member_kind::list, true), [&] { each(*this, T{}); });
  }

private:
  template <fixed_text Name>
  member_shape&
  add(member_name<Name> m, member_kind is, bool may_be_absent = false) {
    return inside_->emplace_back(member_shape{m.text, is, may_be_absent, {}});
  }

  template <class F>
  void within(member_shape& parent, const F& list) {
    // The parent moves when its neighbours are added, and none is until then.
    auto* const outer = std::exchange(inside_, &parent.members);
    list();
    inside_ = outer;
  }

  std::vector<member_shape>* inside_ = &made.members;
};

template <class Event>
event_type_shape shape_of(const Event& sample) {
  shape_lister list;
  describe(list, event_head{}, sample);
  return std::move(list.made);
}

/// The payload of every session_input; what else it has depends on the input.
event_type_shape shape_of_input() {
  auto made = shape_of(session_input{});
  made.members.back().members = {{"input", name, false, {}}};
  return made;
}

/// Whether it names a stop_reason is a rule of its own, stop_reason_present.
event_type_shape shape_of_completed() {
  auto made = shape_of(map_session_completed{});
  std::erase_if(made.members.back().members, [](const member_shape& one) {
    return one.name == "stop_reason";
  });
  return made;
}

/// By how often they are looked up.
std::vector<event_type_shape> all_shapes() {
  static const resource_write write;
  static const claim no_claim;
  static const plan_step no_step;
  static const action nothing_done;
  static const action_result no_result;
  const auto stage = [](std::string_view type, stage_resource of) {
    return shape_of(stage_changed{.event_type = type, .resource = of});
  };
  const auto claimed = [](claim_event_kind kind) {
    return shape_of(claim_event{.kind = kind, .claim = &no_claim});
  };
  return {
    shape_of(map_turn_dispatched{}),
    shape_of(map_turn_completed{}),
    shape_of(map_broadcast_received{}),
    shape_of(map_broadcast_sent{}),
    shape_of(map_session_started{}),
    shape_of(map_roles_assigned{}),
    shape_of_completed(),
    shape_of(map_conflict_detected{}),
    shape_of(map_conflict_resolved{}),
    shape_of(map_handoff_initiated{}),
    shape_of_input(),
    stage("plan_status_changed", stage_resource::plan),
    stage("step_status_changed", stage_resource::step),
    stage("confirm_created", stage_resource::confirm),
    stage("confirm_resolved", stage_resource::confirm),
    shape_of(plan_created{}),
    shape_of(step_added{.step = &no_step}),
    shape_of(part_added{.part = graph_part::confirm}),
    shape_of(part_added{.part = graph_part::decision}),
    shape_of(graph_opened{}),
    shape_of(handoff_added{}),
    shape_of(session_recorded{}),
    shape_of(resource_written{}),
    shape_of(write_refused{.write = &write}),
    shape_of(workspace_opened{}),
    claimed(claim_event_kind::taken),
    claimed(claim_event_kind::released),
    claimed(claim_event_kind::handed_over),
    claimed(claim_event_kind::refused),
    shape_of(action_started{.what = &nothing_done}),
    shape_of(action_ended{.result = &no_result}),
    shape_of(usage_recorded{}),
    shape_of(budget_exceeded{}),
    shape_of(reasons_given{}),
  };
}

const std::vector<event_type_shape>& shapes() {
  static const auto all = all_shapes();
  return all;
}

} // namespace
} // namespace event_shapes

const event_type_shape* find_shape(std::string_view event_type) noexcept {
  const auto& all = event_shapes::shapes();
  const auto found = std::ranges::find(all, event_type,
                                       &event_type_shape::type);
  return found == all.end() ? nullptr : &*found;
}

bool is_known_event_type(std::string_view type) noexcept {
  return find_shape(type) != nullptr;
}

bool is_known_event_family(std::string_view family) noexcept {
  const auto& all = event_shapes::shapes();
  return std::ranges::find(all, family, &event_type_shape::family) != all.end();
}

} // namespace convene::protocol
