#pragma once

#include <convene/protocol/boundary/slot_rule.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/events/member_kind.hpp>
#include <convene/protocol/events/member_name.hpp>

#include <cassert>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Two visitors of an event's description (protocol/events/describe_*.hpp). A
// slot is a value that differs from event to event.

namespace convene::protocol::boundary {

/// A slot by its place: a JSON pointer in which * stands for every item.
struct slot {
  std::string place;
  slot_kind kind = slot_kind::text;
};

/// Lists the slots of an event, whatever it has.
class slot_lister {
public:
  std::vector<slot> all;
  /// Places that vary and are no slots.
  std::vector<std::string> others;

  void type(auto, std::string_view) {
    // The rules are for events of one type.
  }
  void text(auto m, std::string_view, member_kind = {}) {
    add(m, slot_kind::text);
  }
  void optional(auto m, std::string_view, member_kind = {}) {
    add(m, slot_kind::text);
  }
  void id(auto m, const uuid&, member_kind = {}) {
    add(m, slot_kind::id);
  }
  void optional_id(auto m, const uuid&) {
    add(m, slot_kind::id);
  }
  void time(auto m, timestamp_ms) {
    add(m, slot_kind::time);
  }
  void number(auto m, std::int64_t, member_kind = {}) {
    add(m, slot_kind::number);
  }
  void number_if(bool, auto m, std::int64_t) {
    add(m, slot_kind::number);
  }
  void constant(auto, auto, member_kind = {}) {
    // nop
  }
  void constant_if(bool, auto m, auto) {
    others.push_back(place(m));
  }
  void fixed(auto, auto, member_kind) {
    // nop
  }
  void flag(auto m, bool) {
    others.push_back(place(m));
  }
  void single(auto m, std::string_view) {
    all.push_back({place(m) + "/*", slot_kind::text});
  }
  template <class T>
  void items(auto m, std::span<const T>, std::string_view T::*) {
    add(m, slot_kind::count);
    all.push_back({place(m) + "/*", slot_kind::text});
  }
  template <class T>
  void
  items_if_any(auto m, std::span<const T> from, std::string_view T::*text) {
    others.push_back(place(m));
    items(m, from, text);
  }
  void value(auto m, const json::value*) {
    add(m, slot_kind::free);
  }
  void reply(auto m, const protocol::reply*) {
    others.push_back(place(m));
  }
  void result(auto m, std::string_view, const protocol::reply*) {
    all.push_back({place(m) + "/status", slot_kind::text});
    others.push_back(place(m));
  }

  template <class F>
  void object(auto m, const F& members) {
    within(place(m), [&] { members(*this); });
  }
  template <std::size_t N, class F>
  void object_if(bool, auto m, const F& members) {
    within(place(m), [&] { count<N>([&] { members(*this); }); });
  }
  template <std::size_t N, std::size_t = 0, class T, class F>
  void list(auto m, std::span<const T>, const F& each) {
    add(m, slot_kind::count);
    within(place(m) + "/*", [&] { count<N>([&] { each(*this, T{}); }); });
  }
  template <std::size_t N, class T, class F>
  void list_if(bool, auto m, std::span<const T> from, const F& each) {
    list<N>(m, from, each);
  }

  /// Everything that can differ between two values of the same shape.
  [[nodiscard]] std::vector<std::string_view> places() const {
    std::vector<std::string_view> made{others.begin(), others.end()};
    for (const auto& one : all)
      made.push_back(one.place);
    return made;
  }

private:
  template <fixed_text Name>
  [[nodiscard]] std::string place(member_name<Name> m) const {
    return (inside_ + '/').append(m.text);
  }

  void add(auto m, slot_kind kind) {
    all.push_back({place(m), kind});
  }

  template <class F>
  void within(std::string there, const F& list) {
    inside_.swap(there);
    list();
    inside_.swap(there);
  }

  template <std::size_t N, class F>
  void count(const F& list) {
    [[maybe_unused]] const auto before = all.size();
    list();
    assert(all.size() - before == N && "the description has another number");
  }

  std::string inside_;
};

/// Checks an event's slots against their rules, and tells its shape: which of
/// what may be missing is there.
class slot_checker {
public:
  explicit slot_checker(const slot_rule* first) : next_(first) {}

  [[nodiscard]] bool good() const noexcept {
    return good_;
  }
  [[nodiscard]] std::uint32_t shape() const noexcept {
    return shape_;
  }

  void type(auto, std::string_view) {
    // nop
  }
  void text(auto, std::string_view value, member_kind = {}) {
    good_ = good_ && next_->admits(value);
    ++next_;
  }
  void optional(auto m, std::string_view value, member_kind = {}) {
    if (note(!value.empty()))
      text(m, value);
    else
      ++next_;
  }
  void id(auto, const uuid& value, member_kind = {}) {
    good_ = good_ && next_->admits(value);
    ++next_;
  }
  void optional_id(auto m, const uuid& value) {
    if (note(!value.is_nil()))
      id(m, value);
    else
      ++next_;
  }
  void time(auto, timestamp_ms value) {
    good_ = good_ && next_->admits_time(value);
    ++next_;
  }
  void number(auto, std::int64_t value, member_kind = {}) {
    good_ = good_ && next_->admits(value);
    ++next_;
  }
  void number_if(bool there, auto m, std::int64_t value) {
    if (note(there))
      number(m, value);
    else
      ++next_;
  }
  void constant(auto, auto, member_kind = {}) {
    // nop
  }
  void constant_if(bool there, auto, auto) {
    note(there);
  }
  void fixed(auto, auto, member_kind) {
    // nop
  }
  void flag(auto, bool there) {
    note(there);
  }
  void single(auto m, std::string_view item) {
    text(m, item);
  }
  template <class T>
  void items(auto, std::span<const T> from, std::string_view T::*text) {
    good_ = good_ && next_->admits_count(from.size());
    ++next_;
    for (const auto& item : from)
      good_ = good_ && next_->admits(item.*text);
    ++next_;
  }
  template <class T>
  void
  items_if_any(auto m, std::span<const T> from, std::string_view T::*text) {
    note(!from.empty());
    items(m, from, text);
  }
  void value(auto, const json::value* there) {
    if (note(there != nullptr))
      good_ = good_ && next_->demands.empty();
    ++next_;
  }
  void reply(auto, const protocol::reply* there) {
    note(there != nullptr);
  }
  void result(auto m, std::string_view status, const protocol::reply*) {
    text(m, status);
  }

  template <class F>
  void object(auto, const F& members) {
    members(*this);
  }
  template <std::size_t N, class F>
  void object_if(bool there, auto, const F& members) {
    if (note(there))
      members(*this);
    else
      next_ += N;
  }
  /// Which shapes items have is part of the event's shape; how many have which
  /// is not, since each is judged for itself.
  template <std::size_t N, std::size_t Optional = 0, class T, class F>
  void list(auto, std::span<const T> from, const F& each) {
    good_ = good_ && next_->admits_count(from.size());
    const auto* const rules = ++next_;
    std::uint32_t shapes = 0;
    for (const auto& item : from) {
      slot_checker one{rules};
      each(one, item);
      good_ = good_ && one.good_;
      shapes |= 1U << one.shape_;
    }
    if constexpr (Optional != 0)
      shape_ = shape_ << (1U << Optional) | shapes;
    next_ = rules + N;
  }
  template <std::size_t N, class T, class F>
  void list_if(bool there, auto m, std::span<const T> from, const F& each) {
    if (note(there))
      list<N>(m, from, each);
    else
      next_ += N + 1;
  }

private:
  bool note(bool there) noexcept {
    shape_ = shape_ << 1 | (there ? 1U : 0U);
    return there;
  }

  const slot_rule* next_;
  bool good_ = true;
  std::uint32_t shape_ = 0;
};

} // namespace convene::protocol::boundary
