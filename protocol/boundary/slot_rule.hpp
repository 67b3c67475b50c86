#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json_schema/compiled_schema.hpp>
#include <convene/protocol/json_schema/program.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// A member of an event, and what the schemas ask of it.

namespace convene::protocol::boundary {

/// A subschema that the member has to meet.
struct demand {
  const validation::program* code = nullptr;
  validation::node_index node = validation::always;

  bool operator==(const demand&) const = default;
};

/// A word of 4 to 16 bytes as its first ones and its last, some of which may be
/// the same, so that words are compared at once. A text of another size is none
/// (size 0).
struct short_word {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t size = 0;

  bool operator==(const short_word&) const = default;
};

/// Whether a text, or a number, meets all of them: the validator's verdict.
[[nodiscard]] bool meets(const std::vector<demand>& all, std::string_view text);
[[nodiscard, gnu::noinline]] bool meets(const std::vector<demand>& all,
                                        std::int64_t number);

/// What the demands come down to where that is easily said. Each of the first
/// members promises that some values are valid; what they do not cover, the
/// demands themselves decide.
struct slot_rule {
  /// Any text with so many bytes.
  std::size_t bytes_min = std::numeric_limits<std::size_t>::max();
  std::size_t bytes_max = 0;
  std::int64_t number_min = std::numeric_limits<std::int64_t>::max();
  std::int64_t number_max = std::numeric_limits<std::int64_t>::min();
  std::vector<std::string> words;      ///< each of these texts
  std::vector<short_word> short_words; ///< those of them that are short
  bool any_id = false;   ///< the text of any v4 UUID, in lower case
  bool any_time = false; ///< any time from 1970 to 9999, as we write it
  std::vector<demand> demands;

  [[nodiscard]] bool admits_size(std::size_t bytes) const {
    return bytes >= bytes_min && bytes <= bytes_max;
  }
  [[nodiscard]] bool admits(std::string_view text) const {
    return admits_size(text.size()) || admits_text(text);
  }
  [[nodiscard]] bool admits(std::int64_t number) const {
    return (number >= number_min && number <= number_max)
           || meets(demands, number);
  }
  [[nodiscard]] bool admits_count(std::size_t count) const {
    const auto number = static_cast<std::int64_t>(count);
    return number >= number_min && number <= number_max;
  }
  [[nodiscard]] bool admits(const uuid& id) const {
    return (any_id && as_v4(id) == id) || admits_text_of(id);
  }
  [[nodiscard]] bool admits_time(timestamp_ms time) const {
    return (any_time && time >= 0 && time <= timestamp_max)
           || admits_text_of(time);
  }

private:
  // Not part of what runs for every value.
  [[nodiscard, gnu::noinline]] bool admits_text(std::string_view text) const;
  [[nodiscard, gnu::noinline]] bool admits_exactly(std::string_view text) const;
  [[nodiscard, gnu::noinline]] bool admits_text_of(const uuid& id) const;
  [[nodiscard, gnu::noinline]] bool admits_text_of(timestamp_ms time) const;
};

/// What may stand in a slot, which says what the rule has to find out. A count
/// is the size of an array; only its promise says that it is good. What is free
/// may be any value, and is good where there are no demands.
enum class slot_kind : std::uint8_t { text, id, time, number, count, free };

/// Works out the promises. Ids and times: by trying out values with every
/// digit in every place, and every day of a leap year.
[[nodiscard]] slot_rule make_rule(std::vector<demand> demands, slot_kind what);

} // namespace convene::protocol::boundary
