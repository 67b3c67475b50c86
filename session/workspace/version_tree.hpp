#pragma once

#include <convene/session/workspace/resource.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace convene::session {

/// The current version of each name, as a value: a copy costs one pointer and
/// does not change. Copies may be used and destroyed on other threads than the
/// writing one.
///
/// Implementation: a tree by the bits of the names' hashes. A write copies only
/// the few nodes above its leaf; all others are shared. Nodes are not
/// reference-counted, since incrementing the counts of all neighbours of a new
/// node would cost more than the node: a copy holds a moment, each moment the
/// next one, and the nodes that a write replaced are freed with the last moment
/// that had them. A copy therefore retains what is replaced meanwhile, but
/// within a bound: the tree then continues with nodes of its own. Only one copy
/// may be written.
class version_tree {
public:
  struct entry {
    resource_version standing;
    std::size_t hash = 0;    ///< of its name
    std::uint32_t place = 0; ///< a number of the one who puts
  };

  version_tree() = default;

  [[nodiscard]] bool empty() const noexcept {
    return now_ == nullptr;
  }

  /// Null: there never was one. Valid as long as a copy of this tree.
  [[nodiscard]] const entry* find(const resource_name& what,
                                  std::size_t hash) const noexcept;
  [[nodiscard]] const entry* find(const resource_name& what) const noexcept {
    return find(what, resource_hash{}(what));
  }

  /// Replaces the current version of the name.
  void put(entry what);

  /// `visit(entry)` for all that are newer than this revision, in no order that
  /// means anything. Skips older ones at no cost.
  template <class Visit>
  void each_since(std::uint64_t since, const Visit& visit) const {
    if (now_)
      walk(now_->root, since, visit);
  }

  [[nodiscard]] bool is_same_as(const version_tree& other) const noexcept {
    return now_ == other.now_;
  }

private:
  static constexpr unsigned bits = 4;
  static constexpr std::size_t width = 1U << bits;

  struct node {
    std::uint64_t newest = 0; ///< revision below
    bool is_leaf = false;
    mutable const node* gone_before = nullptr; ///< in a moment's list
  };
  struct inner : node {
    const node* below[width] = {};
  };
  struct leaf : node {
    entry what;
    const leaf* also = nullptr; ///< another name with this hash
  };
  /// The tree between two writes.
  struct moment {
    const node* root = nullptr;
    const node* gone = nullptr; ///< replaced by the next moment's write
    std::shared_ptr<moment> next;
    std::size_t size = 0; ///< names
    /// An earlier moment that a copy may still hold, the writes since, and the
    /// bytes of the values that they replaced.
    std::weak_ptr<moment> since;
    std::size_t writes = 0;
    std::size_t bytes = 0;

    moment() = default;
    moment(const moment&) = delete;
    moment& operator=(const moment&) = delete;
    ~moment();
  };
  class planting;

  static void discard(const node* one) noexcept;
  static void discard_gone(const node* first) noexcept;
  static void discard_below(const node* root) noexcept;
  [[nodiscard]] bool is_held_for_long() const noexcept;
  void come_loose();

  template <class Visit>
  static void walk(const node* at, std::uint64_t since, const Visit& visit) {
    if (at == nullptr || (since != 0 && at->newest <= since))
      return;
    if (at->is_leaf) {
      for (auto* one = static_cast<const leaf*>(at); one != nullptr;
           one = one->also)
        if (since == 0 || one->what.standing->revision > since)
          visit(one->what);
      return;
    }
    for (const auto* next : static_cast<const inner*>(at)->below)
      walk(next, since, visit);
  }

  std::shared_ptr<moment> now_;
};

} // namespace convene::session
