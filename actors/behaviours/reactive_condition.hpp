#pragma once

#include <boost/json/value.hpp>
#include <convene/actors/behaviours/turn_request.hpp>
#include <convene/protocol/json/relation.hpp>
#include <convene/session/workspace/resource.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol::validation {
struct pattern;
}

namespace convene::actors {

/// A pattern that is searched for in a text.
struct text_pattern {
  std::shared_ptr<const protocol::validation::pattern> compiled; ///< null: none

  [[nodiscard]] bool is_given() const noexcept {
    return compiled != nullptr;
  }
  /// Any text will do if none is given.
  [[nodiscard]] bool is_found(std::string_view text) const;
};

/// What is asked of a whole number. All that is given must hold.
struct number_condition {
  std::optional<std::int64_t> equals;
  std::optional<std::int64_t> differs;
  std::optional<std::int64_t> at_most;
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> below;
  std::optional<std::int64_t> above;
  std::optional<std::int64_t> multiple_of; ///< above 0

  [[nodiscard]] bool holds(std::int64_t number) const noexcept;
};

/// What is asked of one of the latest messages that a request shows.
struct message_condition {
  text_pattern matches;
  std::string from;        ///< participant id, role_id or Role name; empty: all
  std::int64_t latest = 1; ///< one of so many, of those who are meant

  [[nodiscard]] bool holds(const turn_request& asked) const;
};

/// What is asked of a resource as a request shows it.
struct resource_condition {
  struct comparison {
    protocol::relation how = protocol::relation::equals;
    boost::json::value with;
  };

  session::resource_key name;
  std::string pointer; ///< of the value, to what is compared
  std::optional<bool> present;
  text_pattern matches;
  std::vector<comparison> comparisons;
  std::optional<number_condition> version; ///< 0: there never was one

  /// An absent place has no value: it differs from any, and nothing else of it
  /// holds.
  [[nodiscard]] bool holds(const turn_request& asked) const;
};

/// When a rule of a reactive participant applies: all that is given must hold,
/// so an empty one always does.
struct reactive_condition {
  std::optional<session::request_kind> kind;
  std::optional<std::string> participant; ///< who is asked, by id or role
  std::optional<std::string> duty;
  text_pattern task;
  std::optional<message_condition> message;
  std::optional<resource_condition> resource;
  std::optional<number_condition> turn;    ///< the turn's number
  std::optional<number_condition> round;   ///< of a broadcast
  std::optional<number_condition> attempt; ///< at the step
  std::optional<number_condition> request; ///< the participant's n-th, from 1
  std::vector<reactive_condition> all;
  std::vector<reactive_condition> any;  ///< empty: not given
  std::vector<reactive_condition> none; ///< `not`, one at most

  /// Takes time linear in the conditions, and in the messages that are shown.
  [[nodiscard]] bool holds(const turn_request& asked) const;
};

} // namespace convene::actors
