#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace convene::protocol {

/// What an official schema says of a value, as far as the strict form needs to
/// know: where ids stand, and what has no place.
struct shape {
  enum class kind : std::uint8_t {
    any,
    identity, ///< a text that must be a UUID
    text,
    time,  ///< a text that must be a date-time
    words, ///< a text out of a list
    object,
    array,
  };

  /// Quicker than by their letters, which most names differ in only late.
  struct by_length {
    using is_transparent = void;
    bool operator()(std::string_view one, std::string_view other) const {
      return one.size() != other.size() ? one.size() < other.size()
                                        : one < other;
    }
  };

  kind what = kind::any;
  bool closed = false; ///< no members but those of `members`
  std::map<std::string, const shape*, by_length> members;
  const shape* items = nullptr; ///< of an array; null: anything

  /// Null: nothing is known of it.
  [[nodiscard]] const shape* member(std::string_view name) const {
    const auto found = members.find(name);
    return found == members.end() ? nullptr : found->second;
  }
};

/// The shape of one of the 29 official schemas, by its name (`mplp-plan`). Of
/// `mplp-map-event`, also of the payload: what the schema defines for it but
/// does not apply, and S004's names of roles as ids (conflicts.md C-09, C-17a).
/// Null: there is none. Made once; may be called from several threads.
[[nodiscard]] const shape* official_shape(std::string_view schema);

} // namespace convene::protocol
