#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/base/uuid_table.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Native ids beyond this stay as they are, for the schema to refuse.
inline constexpr std::size_t native_id_bytes_max = 1'024;

/// The UUID of a native id if no other id collides with it: the id itself, the
/// UUID that it ends in, or a hash. Unchanged beyond `native_id_bytes_max`.
[[nodiscard]] std::string strict_id(std::string_view native);

/// Maps native ids to the lower-case v4 UUIDs that replace them in everything
/// that is exported together (MPLP conflicts.md C-02, C-03, C-33). A v4 UUID is
/// its own alias. An id that ends in one loses its prefix, unless that collides
/// with another id of the table. All others become the first half of their
/// SHA-256. So the table depends only on the set of ids, not on their order.
class alias_table {
public:
  /// Adds an id that must become a UUID.
  void collect(std::string_view native);

  /// Adds a text that may or may not be an id: if it is a UUID, no other id may
  /// be mapped to it.
  void collect_reference(std::string_view text);

  /// Decides the alias of each collected id. Rule `alias_collision`: an id is a
  /// UUID that another one hashes to, which does not happen by accident.
  [[nodiscard]] result<void> settle();

  /// The alias of `native`; itself, if it has none.
  [[nodiscard]] std::string_view
  strict_of(std::string_view native) const noexcept;

  /// The reverse.
  [[nodiscard]] std::string_view
  native_of(std::string_view strict) const noexcept;

  /// The number of ids that have an alias other than themselves.
  [[nodiscard]] std::size_t size() const noexcept {
    return strict_.size();
  }

  /// `{"aliases": {native: strict, ...}}`, in the order of the native ids.
  [[nodiscard]] boost::json::object to_json() const;

  /// Reads that back, ready for use. Refuses what no table can be: aliases
  /// that are no v4 UUIDs, or two ids with one alias.
  [[nodiscard]] static result<alias_table>
  from_json(const boost::json::value& from);

private:
  using texts = std::map<std::string, std::string, std::less<>>;

  [[nodiscard]] bool assign(const std::string& native, const uuid& strict);

  texts strict_; ///< by native id; the value is empty until settled
  texts native_; ///< by strict id
  uuid_table taken_;
};

} // namespace convene::protocol
