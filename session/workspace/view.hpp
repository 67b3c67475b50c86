#pragma once

#include <convene/protocol/error.hpp>
#include <convene/session/workspace/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace convene::session {

/// The workspace as it stood at one moment. Copying it copies two pointers, and
/// writes that come later do not touch it. Thread-safe, like any value that
/// nobody writes.
///
/// Inside: a table that many views share, and the writes since, newest first.
class workspace_view {
public:
  workspace_view() = default;

  /// Counts the accepted writes, from 0.
  [[nodiscard]] std::uint64_t revision() const noexcept {
    return revision_;
  }

  [[nodiscard]] bool empty() const noexcept {
    return !table_ && !latest_;
  }

  /// The version of a resource that stands, a deletion too; null: there never
  /// was one.
  [[nodiscard]] const resource* find(const resource_name& what) const;

  /// All resources that are not deleted, by type and id.
  [[nodiscard]] std::vector<resource_version> resources() const;

  /// What is different since the workspace had this revision, deletions too, by
  /// type and id. Since 0: everything.
  [[nodiscard]] std::vector<resource_version>
  changes(std::uint64_t since) const;

  /// As a JSON value and back, with everything in it: to send it elsewhere.
  [[nodiscard]] json::value to_json() const;
  [[nodiscard]] static protocol::result<workspace_view>
  from_json(const json::value& what);

  bool operator==(const workspace_view& other) const;

private:
  friend class workspace;

  /// Sorted by type and id.
  using table = std::vector<resource_version>;

  struct change {
    resource_version what;
    std::shared_ptr<const change> before;
  };

  std::uint64_t revision_ = 0;
  std::shared_ptr<const table> table_;
  std::shared_ptr<const change> latest_;
};

} // namespace convene::session
