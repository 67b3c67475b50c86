#include <convene/protocol/events/describe_workspace_events.hpp>
#include <convene/protocol/events/native_events.hpp>
#include <convene/protocol/events/native_shapes.hpp>

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
  void optional_flag(auto m, std::optional<bool>) {
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

/// Two payloads are judged by more than their members: what a session_input has
/// depends on the input, and whether a stop_reason is named is a rule of its
/// own, stop_reason_present.
void leave_to_rules(event_type_shape& made) {
  auto& payload = made.members.back().members;
  if (made.type == "session_input")
    payload = {{"input", name, false, {}}};
  if (made.type == "MAPSessionCompleted")
    std::erase_if(payload, [](const member_shape& one) {
      return one.name == "stop_reason";
    });
}

template <class... Events>
std::vector<event_type_shape> shapes_of(type_list<Events...>) {
  std::vector<event_type_shape> all;
  const auto add = [&](const auto& samples) {
    for (const auto& one : samples) {
      auto made = shape_of(one);
      leave_to_rules(made);
      all.push_back(std::move(made));
    }
  };
  (add(samples_of(static_cast<const Events*>(nullptr))), ...);
  return all;
}

} // namespace
} // namespace event_shapes

const std::vector<event_type_shape>& native_shapes() {
  // Never destroyed: static objects may use it while the program ends.
  static const auto& all = *new auto(event_shapes::shapes_of(native_events{}));
  return all;
}

const event_type_shape* find_shape(std::string_view event_type) noexcept {
  const auto& all = native_shapes();
  const auto found = std::ranges::find(all, event_type,
                                       &event_type_shape::type);
  return found == all.end() ? nullptr : &*found;
}

bool is_native_family(std::string_view family) noexcept {
  const auto& all = native_shapes();
  return std::ranges::find(all, family, &event_type_shape::family) != all.end();
}

} // namespace convene::protocol
