#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace convene::session {

namespace json = boost::json;

/// The name of a resource: "file" "src/main.cpp".
struct resource_key {
  std::string type;
  std::string id;

  auto operator<=>(const resource_key&) const = default;
};

/// The same, pointing elsewhere.
struct resource_name {
  std::string_view type;
  std::string_view id;

  bool operator==(const resource_name&) const = default;
};

[[nodiscard]] inline resource_name name_of(const resource_key& key) noexcept {
  return {key.type, key.id};
}

/// For look-ups by either, without a copy.
struct resource_hash {
  using is_transparent = void;

  std::size_t operator()(const resource_name& what) const noexcept;
  std::size_t operator()(const resource_key& what) const noexcept {
    return (*this)(name_of(what));
  }
};

struct resource_equal {
  using is_transparent = void;

  bool operator()(const auto& a, const auto& b) const noexcept {
    return std::string_view{a.type} == std::string_view{b.type}
           && std::string_view{a.id} == std::string_view{b.id};
  }
};

/// Who wrote a version. A position in the roster, like `participant_index`.
struct author {
  static constexpr std::uint32_t nobody = 0xffffffff;

  std::uint32_t participant = nobody; ///< nobody: existed at the start
  std::uint32_t turn_number = 0;      ///< 0: not in a turn
  protocol::uuid token;

  bool operator==(const author&) const = default;
};

/// One version of a resource. Never changes once it is made.
struct resource {
  std::shared_ptr<const resource_key> key;
  std::uint64_t version = 0;  ///< from 1, without gaps, deletions count too
  std::uint64_t revision = 0; ///< of the workspace that this version made
  std::uint64_t base = 0; ///< the version that it follows from; one before it
                          ///< unless it replaces versions in between
  bool deleted = false;   ///< then `value` is null
  json::value value;
  author by;
  std::size_t bytes = 0; ///< approximate size

  bool operator==(const resource& other) const {
    return *key == *other.key && version == other.version
           && revision == other.revision && base == other.base
           && deleted == other.deleted && value == other.value
           && by == other.by;
  }
};

using resource_version = std::shared_ptr<const resource>;

} // namespace convene::session
