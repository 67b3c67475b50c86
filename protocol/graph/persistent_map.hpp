#pragma once

#include <boost/container/static_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace convene::protocol {

/// An ordered map whose copies share what they have in common: to copy takes
/// constant time, and a change of one copy leaves the others alone, for the
/// price of the blocks on one path (a B+ tree, copied on write). What no other
/// copy has is changed in place. Copies may be used in different threads, each
/// as any other container.
///
/// Keys and values are cheap to copy, or a block is not. `Less` is transparent.
template <class Key, class Value, class Less = std::less<>,
          std::size_t LeafMax = 32>
class persistent_map {
  static constexpr std::size_t inner_max = 32;
  /// More than any memory holds: a level more needs 16 times as many entries.
  static constexpr std::size_t levels_max = 16;

public:
  struct entry {
    Key key;
    [[no_unique_address]] Value value;
  };

private:
  struct block : boost::intrusive_ref_counter<block> {
    block() = default;
    block(const block&) = default;
    block& operator=(const block&) = delete;
    virtual ~block() = default;
  };
  using block_ref = boost::intrusive_ptr<block>;

  struct leaf final : block {
    boost::container::static_vector<entry, LeafMax> entries;
  };

  /// No key below a child is less than its place in `firsts`, and all keys
  /// below the children before it are.
  struct inner final : block {
    boost::container::static_vector<Key, inner_max> firsts;
    boost::container::static_vector<block_ref, inner_max> children;
  };

public:
  class iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const entry*;
    using reference = const entry&;

    const entry& operator*() const {
      return static_cast<const leaf*>(blocks_[0])->entries[at_[0]];
    }
    const entry* operator->() const {
      return &**this;
    }
    iterator& operator++() {
      if (++at_[0] == static_cast<const leaf*>(blocks_[0])->entries.size())
        leave(0);
      return *this;
    }
    iterator operator++(int) {
      auto old = *this;
      ++*this;
      return old;
    }
    bool operator==(const iterator& other) const {
      return blocks_[0] == other.blocks_[0]
             && (blocks_[0] == nullptr || at_[0] == other.at_[0]);
    }

  private:
    friend persistent_map;

    /// Goes to what comes after the block of this level.
    void leave(std::size_t level) {
      while (++level <= height_) {
        const auto& in = *static_cast<const inner*>(blocks_[level]);
        if (++at_[level] == in.children.size())
          continue;
        for (; level > 0; --level) {
          const auto& from = *static_cast<const inner*>(blocks_[level]);
          blocks_[level - 1] = from.children[at_[level]].get();
          at_[level - 1] = 0;
        }
        return;
      }
      blocks_[0] = nullptr;
    }

    /// How many levels are at the beginning of their block.
    [[nodiscard]] std::size_t begun() const {
      std::size_t level = 0;
      while (level <= height_ && at_[level] == 0)
        ++level;
      return level;
    }

    /// Passes over a block that both have come to the beginning of.
    static bool skip_shared(iterator& a, iterator& b) {
      for (auto level = std::min(a.begun(), b.begun()); level-- > 0;)
        if (a.blocks_[level] == b.blocks_[level]) {
          a.leave(level);
          b.leave(level);
          return true;
        }
      return false;
    }

    std::array<const block*, levels_max> blocks_{}; ///< from the leaf upwards
    std::array<std::uint8_t, levels_max> at_{};     ///< the place in each
    std::size_t height_ = 0;
  };

  persistent_map() = default;
  persistent_map(const persistent_map&) = default;
  persistent_map(persistent_map&& other) noexcept
    : root_{std::move(other.root_)}, size_{std::exchange(other.size_, 0)},
      height_{std::exchange(other.height_, 0)} {}
  persistent_map& operator=(persistent_map other) noexcept {
    std::swap(root_, other.root_);
    std::swap(size_, other.size_);
    std::swap(height_, other.height_);
    return *this;
  }
  ~persistent_map() = default;

  [[nodiscard]] std::size_t size() const noexcept {
    return size_;
  }
  [[nodiscard]] bool empty() const noexcept {
    return size_ == 0;
  }

  [[nodiscard]] iterator begin() const {
    iterator made;
    made.height_ = height_;
    const block* at = root_.get();
    if (at == nullptr)
      return made;
    for (auto level = height_; level > 0; --level) {
      made.blocks_[level] = at;
      at = static_cast<const inner*>(at)->children.front().get();
    }
    made.blocks_[0] = at;
    return made;
  }
  [[nodiscard]] iterator end() const {
    return {};
  }

  /// The first entry whose key is not less.
  template <class K>
  [[nodiscard]] iterator lower_bound(const K& key) const {
    iterator made;
    made.height_ = height_;
    const block* at = root_.get();
    if (at == nullptr)
      return made;
    for (auto level = height_; level > 0; --level) {
      const auto& in = *static_cast<const inner*>(at);
      const auto child = child_of(in, key);
      made.blocks_[level] = at;
      made.at_[level] = static_cast<std::uint8_t>(child);
      at = in.children[child].get();
    }
    const auto& entries = static_cast<const leaf*>(at)->entries;
    const auto place = place_of(entries, key);
    made.blocks_[0] = at;
    made.at_[0] = static_cast<std::uint8_t>(place);
    if (place == entries.size())
      made.leave(0);
    return made;
  }

  /// Null: there is none.
  template <class K>
  [[nodiscard]] const entry* find(const K& key) const {
    const block* at = root_.get();
    if (at == nullptr)
      return nullptr;
    for (auto level = height_; level > 0; --level) {
      const auto& in = *static_cast<const inner*>(at);
      at = in.children[child_of(in, key)].get();
    }
    const auto& entries = static_cast<const leaf*>(at)->entries;
    const auto place = place_of(entries, key);
    return is_at(entries, place, key) ? &entries[place] : nullptr;
  }

  /// The same to change the value of, in this copy alone, until the next
  /// change of the map.
  template <class K>
  [[nodiscard]] entry* edit(const K& key) {
    if (root_ == nullptr)
      return nullptr;
    auto* at = &root_;
    for (auto level = height_; level > 0; --level) {
      auto& in = own<inner>(*at);
      at = &in.children[child_of(in, key)];
    }
    auto& entries = own<leaf>(*at).entries;
    const auto place = place_of(entries, key);
    return is_at(entries, place, key) ? &entries[place] : nullptr;
  }

  /// Whether it was not there; what is there stays as it is.
  bool insert(Key key, Value value) {
    if (root_ == nullptr)
      root_.reset(new leaf);
    const auto before = size_;
    entry added{std::move(key), std::move(value)};
    if (auto right = insert_below(root_, height_, added)) {
      block_ref top{new inner};
      auto& in = static_cast<inner&>(*top);
      in.firsts.push_back(first_of(*root_, height_));
      in.firsts.push_back(first_of(*right, height_));
      in.children.push_back(std::move(root_));
      in.children.push_back(std::move(right));
      root_ = std::move(top);
      ++height_;
    }
    return size_ != before;
  }

  /// Whether it was there.
  template <class K>
  bool erase(const K& key) {
    if (find(key) == nullptr)
      return false;
    erase_below(root_, height_, key);
    if (--size_ == 0) {
      *this = persistent_map{};
      return true;
    }
    while (height_ > 0) {
      const auto& top = static_cast<const inner&>(*root_);
      if (top.children.size() > 1)
        break;
      auto only = top.children.front();
      root_ = std::move(only);
      --height_;
    }
    return true;
  }

  /// Calls `visit(before, after)` for the entries of two maps, in the order of
  /// their keys, those of one key together; null: the map has none. Blocks that
  /// they share are passed over, so that a map and its changed copy take time
  /// by what was changed.
  template <class Visit>
  static void visit_both(const persistent_map& before,
                         const persistent_map& after, Visit&& visit) {
    const entry* const none = nullptr;
    const Less less;
    auto a = before.begin();
    auto b = after.begin();
    const iterator end;
    while (a != end || b != end) {
      if (a != end && b != end && iterator::skip_shared(a, b))
        continue;
      if (b == end || (a != end && less(a->key, b->key)))
        visit(&*a++, none);
      else if (a == end || less(b->key, a->key))
        visit(none, &*b++);
      else
        visit(&*a++, &*b++);
    }
  }

private:
  template <class Block>
  static Block& own(block_ref& at) {
    if (at->use_count() != 1)
      at.reset(new Block{static_cast<const Block&>(*at)});
    return static_cast<Block&>(*at);
  }

  template <class K>
  static std::size_t child_of(const inner& in, const K& key) {
    const auto after
      = std::upper_bound(in.firsts.begin(), in.firsts.end(), key,
                         [](const K& a, const Key& b) { return Less{}(a, b); });
    const auto count = static_cast<std::size_t>(after - in.firsts.begin());
    return count == 0 ? 0 : count - 1;
  }

  template <class Entries, class K>
  static std::size_t place_of(const Entries& entries, const K& key) {
    const auto at = std::lower_bound(entries.begin(), entries.end(), key,
                                     [](const entry& a, const K& b) {
                                       return Less{}(a.key, b);
                                     });
    return static_cast<std::size_t>(at - entries.begin());
  }

  template <class Entries, class K>
  static bool is_at(const Entries& entries, std::size_t place, const K& key) {
    return place != entries.size() && !Less{}(key, entries[place].key);
  }

  static std::size_t size_of(const block& of, std::size_t level) {
    return level == 0 ? static_cast<const leaf&>(of).entries.size()
                      : static_cast<const inner&>(of).children.size();
  }

  static const Key& first_of(const block& of, std::size_t level) {
    return level == 0 ? static_cast<const leaf&>(of).entries.front().key
                      : static_cast<const inner&>(of).firsts.front();
  }

  /// Puts one more into a full list, whose end goes into another. What comes in
  /// order fills its blocks.
  template <class List, class T>
  static void split(List& left, List& right, std::size_t place, T&& added) {
    const auto keep = place == left.size() ? place : left.size() / 2;
    const auto from = left.begin() + static_cast<std::ptrdiff_t>(keep);
    right.assign(std::make_move_iterator(from),
                 std::make_move_iterator(left.end()));
    left.erase(from, left.end());
    auto& to = place < keep ? left : right;
    const auto at = place < keep ? place : place - keep;
    to.insert(to.begin() + static_cast<std::ptrdiff_t>(at),
              std::forward<T>(added));
  }

  /// What has become too much for the block, to come after it.
  block_ref insert_below(block_ref& at, std::size_t level, entry& added) {
    if (level == 0)
      return insert_into(own<leaf>(at), added);
    auto& in = own<inner>(at);
    const auto child = child_of(in, added.key);
    if (child == 0 && Less{}(added.key, in.firsts.front()))
      in.firsts.front() = added.key;
    auto more = insert_below(in.children[child], level - 1, added);
    if (more == nullptr)
      return {};
    const auto place = child + 1;
    auto first = first_of(*more, level - 1);
    if (in.children.size() < inner_max) {
      const auto offset = static_cast<std::ptrdiff_t>(place);
      in.firsts.insert(in.firsts.begin() + offset, std::move(first));
      in.children.insert(in.children.begin() + offset, std::move(more));
      return {};
    }
    block_ref right{new inner};
    auto& other = static_cast<inner&>(*right);
    split(in.firsts, other.firsts, place, std::move(first));
    split(in.children, other.children, place, std::move(more));
    return right;
  }

  block_ref insert_into(leaf& to, entry& added) {
    auto& entries = to.entries;
    const auto place = place_of(entries, added.key);
    if (is_at(entries, place, added.key))
      return {};
    ++size_;
    if (entries.size() < LeafMax) {
      entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(place),
                     std::move(added));
      return {};
    }
    block_ref right{new leaf};
    split(entries, static_cast<leaf&>(*right).entries, place, std::move(added));
    return right;
  }

  template <class K>
  static void erase_below(block_ref& at, std::size_t level, const K& key) {
    if (level == 0) {
      auto& entries = own<leaf>(at).entries;
      entries.erase(entries.begin()
                    + static_cast<std::ptrdiff_t>(place_of(entries, key)));
      return;
    }
    auto& in = own<inner>(at);
    const auto child = child_of(in, key);
    erase_below(in.children[child], level - 1, key);
    const auto most = level == 1 ? LeafMax : inner_max;
    const auto size = [&](std::size_t place) {
      return size_of(*in.children[place], level - 1);
    };
    const auto left = size(child);
    if (left == 0)
      drop(in, child);
    else if (left > most / 4)
      return;
    else if (child + 1 < in.children.size()
             && left + size(child + 1) <= most / 2)
      merge(in, child, level - 1);
    else if (child > 0 && left + size(child - 1) <= most / 2)
      merge(in, child - 1, level - 1);
  }

  static void drop(inner& from, std::size_t child) {
    const auto offset = static_cast<std::ptrdiff_t>(child);
    from.firsts.erase(from.firsts.begin() + offset);
    from.children.erase(from.children.begin() + offset);
  }

  /// Makes one of a child and the next.
  static void merge(inner& in, std::size_t child, std::size_t level) {
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    const auto& right = *in.children[child + 1];
    if (level == 0) {
      append(own<leaf>(in.children[child]).entries,
             static_cast<const leaf&>(right).entries);
    } else {
      auto& left = own<inner>(in.children[child]);
      append(left.firsts, static_cast<const inner&>(right).firsts);
      append(left.children, static_cast<const inner&>(right).children);
    }
    drop(in, child + 1);
  }

  block_ref root_; ///< null: empty
  std::size_t size_ = 0;
  std::size_t height_ = 0; ///< levels above the leaves
};

} // namespace convene::protocol
