#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/workspace/version_tree.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convene::session {

/// The workspace as it stood at one moment. Copying it copies a pointer, and
/// writes that come later do not touch it. Thread-safe, like any value that
/// nobody writes. While it is kept, what is written over meanwhile stays in
/// memory as well.
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

  /// The version of a resource that stands, a deletion too; null: there never
  /// was one.
  [[nodiscard]] CONVENE_API const resource*
  find(const resource_name& what) const;

  /// All resources that are not deleted, by type and id.
  [[nodiscard]] CONVENE_API std::vector<resource_version> resources() const;

  /// What is different since the workspace had this revision, deletions too, by
  /// type and id. Since 0: everything.
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
