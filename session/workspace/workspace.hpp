#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/workspace/view.hpp>

#include <optional>

namespace convene::session {

/// Bounds of a session's workspace. Reaching one is an error that names it.
inline constexpr std::size_t resources_max = 100'000;
inline constexpr std::size_t resource_type_bytes_max = 128;
inline constexpr std::size_t resource_id_bytes_max = 1024;
/// Everything retained, including earlier versions.
inline constexpr std::size_t workspace_bytes_max = std::size_t{256} << 20;
/// The least number of versions retained of a resource, including the current
/// one.
inline constexpr std::size_t versions_kept = 8;

/// The shared state of a session: resources with versions that count up by one
/// with each write. It accepts any write; who may write what, and how a stale
/// write is handled, is decided elsewhere.
///
/// The cost of a write hardly depends on the number of resources: only the
/// depth of a tree with sixteen branches grows. A resource takes about 1.2 KB
/// with a short name and value.
class workspace {
public:
  /// The current version, which may be a deletion; null: there never was one.
  [[nodiscard]] CONVENE_API resource_version
  find(const resource_name& what) const;

  /// Whether it exists, and is not deleted.
  [[nodiscard]] bool is_written(const resource_name& what) const {
    const auto found = find(what);
    return found && !found->deleted;
  }

  /// 0: there never was one.
  [[nodiscard]] CONVENE_API std::uint64_t
  version_of(const resource_name& what) const;

  /// An earlier or the current version; null: it is no longer retained, or
  /// never existed.
  [[nodiscard]] CONVENE_API resource_version at(const resource_name& what,
                                                std::uint64_t version) const;

  /// The retained versions, oldest first, without gaps. One that was refreshed
  /// follows itself.
  [[nodiscard]] CONVENE_API std::vector<resource_version>
  history(const resource_name& what) const;

  /// Whether a write of this size may be added: `resources_max`,
  /// `resource_name`, `workspace_bytes_max`.
  [[nodiscard]] protocol::result<void> check_room(const resource_name& what,
                                                  std::size_t bytes) const;

  /// Adds a version; no value: a deletion. Drops versions of this resource
  /// beyond `versions_kept` that were replaced before `oldest_seen`, the oldest
  /// revision that a participant may still be working from. This retains the
  /// base of every pending write, and every version such a write may override.
  /// `replaced`: the number of versions it does not build on.
  resource_version add(const resource_name& what,
                       std::optional<json::value> value, const author& by,
                       std::uint64_t oldest_seen, std::uint64_t replaced = 0);

  /// Gives the current version another value: for what changes by itself and
  /// must not make anybody's base version outdated. Nothing where there is no
  /// version.
  void refresh(const resource_name& what, json::value value);

  /// Adds a version as originally made, to rebuild a workspace from its
  /// retained versions, in the order of their revisions. Refuses one that
  /// cannot follow: rule `resource_version`, and those of `check_room`.
  [[nodiscard]] protocol::result<void> restore(resource_version what);

  /// The current state of everything, at constant cost.
  [[nodiscard]] const workspace_view& view() const noexcept {
    return view_;
  }

  /// Reverts permanently to an earlier view of this workspace: for a session
  /// that ends because what followed was undone.
  void show_again(workspace_view earlier) noexcept {
    view_ = std::move(earlier);
    histories_.clear();
  }

  /// All resources ever made, deleted ones too.
  [[nodiscard]] std::size_t size() const noexcept {
    return histories_.size();
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return bytes_;
  }

private:
  /// Of one resource; see `history`.
  using versions = std::vector<resource_version>;

  [[nodiscard]] const versions* versions_of(const resource_name& what) const;
  void keep(resource_version what, std::size_t hash, std::uint32_t place);
  void forget(versions& of, std::uint64_t oldest_seen);

  std::vector<versions> histories_; ///< in the order of the first versions
  std::size_t bytes_ = 0;
  workspace_view view_;
};

} // namespace convene::session
