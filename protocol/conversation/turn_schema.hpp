#pragma once

#include <convene/protocol/json_schema/compiled_schema.hpp>

#include <cstddef>
#include <cstdint>

namespace convene::protocol {

// What bounds a schema that comes with a conversation, and each check by it.
inline constexpr std::size_t turn_schema_bytes_max = 65'536;
inline constexpr std::size_t turn_schema_nodes_max = 2'000;
inline constexpr std::size_t turn_schema_patterns_max = 32;
inline constexpr std::uint64_t turn_schema_cost_max = 10'000;
/// Ten for each byte of the largest turn: less than a second at worst.
inline constexpr std::uint64_t turn_schema_steps_max = 655'360;

/// The schema of what is said in a conversation: cheap to copy.
class turn_schema {
public:
  /// Takes draft-07, and of 2020-12 what means the same there. Refuses what it
  /// would have to ignore: rule `schema_dialect` for another `$schema`, also
  /// inside, `schema_keyword` for a keyword that it does not know and that does
  /// not begin with `x-`, that 2020-12 means otherwise, or that stands beside a
  /// `$ref` and asks for something, `schema_reference` for a reference to where
  /// no schema stands, `schema_format` for a format that it cannot check, or
  /// not in bounded time (`regex`); and what `compile` refuses, and rule
  /// `turn_schema_bytes_max`. Pointers lead into the schema.
  [[nodiscard]] static result<turn_schema> make(const json::object& schema);

  /// Whether a turn may say this: rule `turn_schema` with the place and the
  /// first violation, or errc::limit_reached, rule `turn_schema_steps_max`.
  [[nodiscard]] result<void> check(const json::value& content,
                                   std::string_view pointer = "") const;

private:
  explicit turn_schema(compiled_schema code) : code_(std::move(code)) {}

  compiled_schema code_;
};

} // namespace convene::protocol
