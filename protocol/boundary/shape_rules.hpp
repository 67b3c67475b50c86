#pragma once

#include <convene/protocol/boundary/slot_rule.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

// The two visitors of event_slots.hpp.

namespace convene::protocol::boundary {

/// A slot by its place.
struct slot {
  std::string_view place;
  slot_kind kind = slot_kind::text;
};

/// Lists the slots of an event, whatever it has.
class slot_lister {
public:
  std::vector<slot> all;
  /// Places that vary and are no slots.
  std::vector<std::string_view> others;

  void id(std::string_view place, const uuid&) {
    all.push_back({place, slot_kind::id});
  }
  void time(std::string_view place, timestamp_ms) {
    all.push_back({place, slot_kind::time});
  }
  void number(std::string_view place, std::int64_t) {
    all.push_back({place, slot_kind::number});
  }
  void number_if(bool, std::string_view place, std::int64_t) {
    all.push_back({place, slot_kind::number});
  }
  void text(std::string_view place, std::string_view) {
    all.push_back({place, slot_kind::text});
  }
  void optional(std::string_view place, std::string_view) {
    all.push_back({place, slot_kind::text});
  }
  void free(std::string_view place) {
    all.push_back({place, slot_kind::free});
  }
  void choice(std::string_view place, bool) {
    others.push_back(place);
  }
  void open(std::string_view place) {
    others.push_back(place);
  }

  /// Everything that can differ between two values of the same shape.
  [[nodiscard]] std::vector<std::string_view> places() const {
    auto made = others;
    for (const auto& one : all)
      made.push_back(one.place);
    return made;
  }

  bool given(bool, std::size_t) {
    return true;
  }
  template <class T>
  void items(std::string_view place, std::string_view item, std::span<const T>,
             std::string_view T::*) {
    all.push_back({place, slot_kind::count});
    all.push_back({item, slot_kind::text});
  }
  template <std::size_t N, class T, class Each>
  void list(std::string_view place, std::span<const T>, const Each& each) {
    all.push_back({place, slot_kind::count});
    each(*this, T{});
  }
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

  void id(std::string_view, const uuid& value) {
    good_ = good_ && next_->admits(value);
    ++next_;
  }
  void time(std::string_view, timestamp_ms value) {
    good_ = good_ && next_->admits_time(value);
    ++next_;
  }
  void number(std::string_view, std::int64_t value) {
    good_ = good_ && next_->admits(value);
    ++next_;
  }
  void number_if(bool there, std::string_view place, std::int64_t value) {
    note(there);
    if (there)
      number(place, value);
    else
      ++next_;
  }
  void text(std::string_view, std::string_view value) {
    good_ = good_ && admits(value);
    ++next_;
  }
  void optional(std::string_view place, std::string_view value) {
    note(!value.empty());
    if (!value.empty())
      text(place, value);
    else
      ++next_;
  }
  void free(std::string_view) {
    good_ = good_ && next_->demands.empty();
    ++next_;
  }
  void choice(std::string_view, bool there) {
    note(there);
  }
  void open(std::string_view) {
    // nop
  }
  bool given(bool there, std::size_t slots) {
    note(there);
    if (!there)
      next_ += slots;
    return there;
  }
  template <class T>
  void items(std::string_view, std::string_view, std::span<const T> from,
             std::string_view T::*text) {
    good_ = good_ && next_->admits_count(from.size());
    ++next_;
    for (const auto& item : from)
      good_ = good_ && next_->admits(item.*text);
    ++next_;
  }
  template <std::size_t N, class T, class Each>
  void list(std::string_view, std::span<const T> from, const Each& each) {
    good_ = good_ && next_->admits_count(from.size());
    const auto* const rules = ++next_;
    for (const auto& item : from) {
      next_ = rules;
      each(*this, item);
    }
    next_ = rules + N;
  }

private:
  void note(bool there) noexcept {
    shape_ = shape_ << 1 | (there ? 1U : 0U);
  }

  bool admits(std::string_view value) {
    return next_->any_id ? is_known_id(value) || next_->admits(value)
                         : next_->admits(value);
  }

  /// A v4 UUID. The same few stand in event after event: those looked at last
  /// are kept.
  static bool is_known_id(std::string_view value) {
    constexpr std::size_t size = 36, kept = 8;
    static thread_local std::array<std::array<char, size>, kept> known{};
    if (value.size() != size)
      return false;
    auto& slot = known[static_cast<unsigned char>(value[size - 1]) % kept];
    if (std::memcmp(slot.data(), value.data(), size) == 0)
      return true;
    if (!is_uuid_v4(value))
      return false;
    std::memcpy(slot.data(), value.data(), size);
    return true;
  }

  const slot_rule* next_;
  bool good_ = true;
  std::uint32_t shape_ = 0;
};

} // namespace convene::protocol::boundary
