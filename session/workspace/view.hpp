#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/workspace/version_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convene::session {

/// The workspace at one moment. Copying it copies a pointer, and later writes
/// do not affect it. Thread-safe, like any value that is never written. While
/// it exists, what is overwritten meanwhile stays in memory, too.
class workspace_view {
public:
  workspace_view() = default;

  /// Counts the accepted writes, from 0.
  [[nodiscard]] std::uint64_t revision() const noexcept {
    return revision_;
  }

  [[nodiscard]] bool empty() const noexcept {
    return tree_.empty();
  }

  /// The current version of a resource, which may be a deletion; null: there
  /// never was one.
  [[nodiscard]] CONVENE_API const resource*
  find(const resource_name& what) const;

  /// All resources that are not deleted, by type and id.
  [[nodiscard]] CONVENE_API std::vector<resource_version> resources() const;

  /// What has changed since this revision of the workspace, including
  /// deletions, by type and id. Since 0: everything.
  [[nodiscard]] CONVENE_API std::vector<resource_version>
  changes(std::uint64_t since) const;

  /// As a JSON value and back, with everything in it: to send it elsewhere.
  [[nodiscard]] CONVENE_API json::value to_json() const;
  [[nodiscard]] CONVENE_API static protocol::result<workspace_view>
  from_json(const json::value& what);

  CONVENE_API bool operator==(const workspace_view& other) const;

private:
  friend class workspace;

  std::uint64_t revision_ = 0;
  version_tree tree_;
};

} // namespace convene::session
