#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/words.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

// For sources in this folder only.

namespace convene::host {

/// Reads members that may be missing or of any type, and keeps the first thing
/// that is wrong; what is read then is empty or 0.
class member_reader {
public:
  /// An object that is being read, with its pointer.
  struct place {
    const boost::json::object& from;
    std::string pointer;
  };

  /// Says what should be at a place.
  void refuse(std::string pointer, std::string_view wanted) {
    if (!wrong_)
      wrong_ = {.code = protocol::errc::invalid_document,
                .message = "there should be " + std::string{wanted},
                .pointer = std::move(pointer),
                .rule = "type"};
  }

  const boost::json::value* member(const place& in, std::string_view name,
                                   bool is_needed) {
    const auto* found = in.from.if_contains(name);
    if (found == nullptr && is_needed)
      refuse(in.pointer + '/' + std::string{name}, "a member");
    return found;
  }

  std::string text(const place& in, std::string_view name,
                   bool is_needed = false) {
    const auto* found = member(in, name, is_needed);
    if (found == nullptr)
      return {};
    if (!found->is_string()) {
      refuse(in.pointer + '/' + std::string{name}, "a text");
      return {};
    }
    return std::string{found->get_string()};
  }

  template <class Number>
  Number number(const place& in, std::string_view name) {
    const auto* found = member(in, name, false);
    if (found == nullptr)
      return 0;
    boost::system::error_code bad;
    const auto made = found->to_number<Number>(bad);
    if (bad)
      refuse(in.pointer + '/' + std::string{name},
             "a whole number that is not negative");
    return bad ? Number{0} : made;
  }

  protocol::timestamp_ms time(const place& in, std::string_view name) {
    const auto made = protocol::parse_timestamp(text(in, name, true));
    if (!made)
      refuse(in.pointer + '/' + std::string{name}, "a date-time");
    return made.value_or(0);
  }

  template <class Word>
  Word word(const place& in, std::string_view name) {
    const auto made = protocol::from_word<Word>(text(in, name, true));
    if (!made)
      refuse(in.pointer + '/' + std::string{name}, "a word that is known");
    return made.value_or(Word{});
  }

  /// `then(place)` for a member that is an object.
  void inside(const place& in, std::string_view name, bool is_needed,
              const auto& then) {
    const auto* found = member(in, name, is_needed);
    if (found == nullptr)
      return;
    auto pointer = in.pointer + '/' + std::string{name};
    if (found->is_object())
      then(place{found->get_object(), std::move(pointer)});
    else
      refuse(std::move(pointer), "an object");
  }

  /// `then(place)` for each object of a member that is a list.
  void each(const place& in, std::string_view name, const auto& then) {
    const auto* found = member(in, name, false);
    if (found == nullptr)
      return;
    const auto pointer = in.pointer + '/' + std::string{name};
    if (!found->is_array())
      return refuse(pointer, "a list");
    std::size_t number = 0;
    for (const auto& one : found->get_array()) {
      auto of_one = pointer + '/' + std::to_string(number++);
      if (one.is_object())
        then(place{one.get_object(), std::move(of_one)});
      else
        refuse(std::move(of_one), "an object");
    }
  }

  /// The first thing that is wrong.
  [[nodiscard]] const std::optional<protocol::error>& wrong() const noexcept {
    return wrong_;
  }

private:
  std::optional<protocol::error> wrong_;
};

} // namespace convene::host
