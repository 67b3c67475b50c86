#pragma once

#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/text/format.hpp>
#include <convene/protocol/text/text_rules.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace convene::protocol {

/// What a member's value must be besides its type. For an array, the text rule
/// concerns each item.
struct constraint {
  std::string_view keyword; ///< JSON Schema's name of the text rule
  bool (*holds)(std::string_view) noexcept = nullptr;
  std::string_view wanted; ///< what `holds` asks for, in words
  std::size_t items_min = 0;
  std::size_t items_max = std::numeric_limits<std::size_t>::max();
  bool unique = false; ///< array of strings: no two alike
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  bool above_minimum = false; ///< the minimum itself is not allowed
  bool any_json = false; ///< json::value: any value, not only object and null
};

inline constexpr constraint anything{};

inline constexpr constraint not_empty{
  .keyword = "minLength",
  .holds = [](std::string_view text) noexcept { return !text.empty(); },
  .wanted = "a text that is not empty"};

inline constexpr constraint identifier{.keyword = "pattern",
                                       .holds = is_uuid_v4,
                                       .wanted = "a lower-case version 4 UUID"};

inline constexpr constraint date_time{
  .keyword = "format",
  .holds = is_date_time,
  .wanted = "a date-time such as 2026-01-31T12:00:00.000Z"};

inline constexpr constraint version{.keyword = "pattern",
                                    .holds = is_version,
                                    .wanted = "three numbers such as 1.0.0"};

inline constexpr constraint semantic_version{
  .keyword = "pattern",
  .holds = is_semantic_version,
  .wanted = "a semantic version such as 1.2.3 or 1.2.3-beta.1+build.5"};

/// What events ask of ids: less than `identifier`.
inline constexpr constraint any_uuid{.keyword = "format",
                                     .holds =
                                       [](std::string_view text) noexcept {
                                         return parse_uuid(text).has_value();
                                       },
                                     .wanted = "a UUID"};

inline constexpr constraint email{.keyword = "format",
                                  .holds =
                                    [](std::string_view text) noexcept {
                                      return validation::is_email(text);
                                    },
                                  .wanted = "an e-mail address"};

inline constexpr constraint uri{
  .keyword = "format",
  .holds
  = [](std::string_view text) noexcept { return validation::is_uri(text); },
  .wanted = "a URI with a scheme, such as https://example.org/runs/7"};

inline constexpr constraint event_type{
  .keyword = "pattern",
  .holds = is_event_type,
  .wanted = "lower-case words with dots between them, such as plan.created"};

inline constexpr constraint unique_texts{.unique = true};

inline constexpr constraint duties{.keyword = "enum",
                                   .holds = is_cross_cutting,
                                   .wanted
                                   = "one of the protocol's eleven duties",
                                   .unique = true};

inline constexpr constraint at_least_one{.items_min = 1};

inline constexpr constraint from_zero{.minimum = 0};

inline constexpr constraint any_json{.any_json = true};

[[nodiscard]] constexpr constraint at_most(std::size_t items) {
  return {.items_max = items};
}

[[nodiscard]] constexpr constraint between(std::int64_t minimum,
                                           std::int64_t maximum) {
  return {.minimum = minimum, .maximum = maximum};
}

} // namespace convene::protocol
