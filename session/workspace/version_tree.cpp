#include <convene/session/workspace/version_tree.hpp>

#include <algorithm>
#include <atomic>
#include <utility>

namespace convene::session {

void version_tree::discard(const node* one) noexcept {
  if (one->is_leaf)
    delete static_cast<const leaf*>(one);
  else
    delete static_cast<const inner*>(one);
}

void version_tree::discard_gone(const node* first) noexcept {
  while (first != nullptr)
    discard(std::exchange(first, first->gone_before));
}

void version_tree::discard_below(const node* root) noexcept {
  if (root == nullptr)
    return;
  if (root->is_leaf) {
    for (auto* one = static_cast<const leaf*>(root); one != nullptr;)
      delete std::exchange(one, one->also);
    return;
  }
  for (const auto* next : static_cast<const inner*>(root)->below)
    discard_below(next);
  discard(root);
}

version_tree::moment::~moment() {
  if (!next) {
    discard_below(root);
    return;
  }
  discard_gone(gone);
  // The moments behind it go one after the other, not one inside the other.
  auto then = std::move(next);
  while (then.use_count() == 1) {
    // Whoever else had it is done with it.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (!then->next)
      return;
    discard_gone(std::exchange(then->gone, nullptr));
    then->root = nullptr; // the next one's
    then = std::exchange(then->next, nullptr);
  }
}

const version_tree::entry* version_tree::find(const resource_name& what,
                                              std::size_t hash) const noexcept {
  if (!now_)
    return nullptr;
  const auto* at = now_->root;
  for (auto left = hash; at != nullptr && !at->is_leaf; left >>= bits)
    at = static_cast<const inner*>(at)->below[left % width];
  for (auto* one = static_cast<const leaf*>(at); one != nullptr;
       one = one->also)
    if (one->what.hash == hash
        && resource_equal{}(*one->what.standing->key, what))
      return &one->what;
  return nullptr;
}

/// Makes the nodes of one write, and knows which ones they replace.
class version_tree::planting {
public:
  explicit planting(entry what)
    : revision_(what.standing->revision), hash_(what.hash),
      what_(std::move(what)) {}

  /// What is to stand instead of `at`, which may be null. `level` nodes above
  /// it have used up as many times `bits` of the hash.
  const node* put(const node* at, unsigned level) {
    if (at == nullptr)
      return make_leaf(std::move(what_), nullptr);
    if (at->is_leaf) {
      const auto* there = static_cast<const leaf*>(at);
      return there->what.hash == hash_ ? replace(there) : part(there, level);
    }
    auto* made = new inner{*static_cast<const inner*>(at)};
    let_go(at);
    made->gone_before = nullptr;
    made->newest = std::max(made->newest, revision_);
    auto& way = made->below[slot(hash_, level)];
    way = put(way, level + 1);
    return made;
  }

  [[nodiscard]] const node* gone() const noexcept {
    return gone_;
  }

  /// The version that stood under the name; null: none did.
  [[nodiscard]] const resource* replaced() const noexcept {
    return replaced_;
  }

private:
  static std::size_t slot(std::size_t hash, unsigned level) {
    return (hash >> (level * bits)) % width;
  }

  const leaf* make_leaf(entry what, const leaf* also) {
    auto* made = new leaf;
    made->newest = what.standing->revision;
    if (also != nullptr)
      made->newest = std::max(made->newest, also->newest);
    made->is_leaf = true;
    made->what = std::move(what);
    made->also = also;
    return made;
  }

  /// Leaves with this hash: those with another name stay, and those behind the
  /// one that is replaced stay where they are.
  const node* replace(const leaf* there) {
    const auto* old = there;
    while (old != nullptr && *old->what.standing->key != *what_.standing->key)
      old = old->also;
    if (old == nullptr)
      return make_leaf(std::move(what_), there);
    replaced_ = old->what.standing.get();
    const auto* others = old->also;
    for (; there != old; there = there->also) {
      others = make_leaf(there->what, others);
      let_go(there);
    }
    let_go(old);
    return make_leaf(std::move(what_), others);
  }

  /// A leaf with another hash stays, as far below as the two go together.
  const node* part(const leaf* there, unsigned level) {
    auto* made = new inner;
    made->newest = std::max(there->newest, revision_);
    const auto theirs = slot(there->what.hash, level);
    const auto ours = slot(hash_, level);
    made->below[theirs] = there;
    made->below[ours] = put(made->below[ours], level + 1);
    return made;
  }

  void let_go(const node* one) noexcept {
    one->gone_before = std::exchange(gone_, one);
  }

  std::uint64_t revision_;
  std::size_t hash_;
  entry what_;
  const node* gone_ = nullptr;
  const resource* replaced_ = nullptr;
};

/// Whether a copy keeps about as much as making the tree anew costs.
bool version_tree::is_held_for_long() const noexcept {
  constexpr std::size_t writes_min = 1024;
  constexpr std::size_t bytes_max = std::size_t{32} << 20;
  return !now_->since.expired()
         && (now_->writes > std::max(writes_min, now_->size)
             || now_->bytes > bytes_max);
}

/// Writes on a copy that others have gone on from are on nodes of its own.
void version_tree::come_loose() {
  version_tree own;
  each_since(0, [&](const entry& one) { own.put(one); });
  *this = std::move(own);
}

void version_tree::put(entry what) {
  if (now_ && (now_->next || is_held_for_long()))
    come_loose();
  auto after = std::make_shared<moment>();
  planting made{std::move(what)};
  after->root = made.put(now_ ? now_->root : nullptr, 0);
  after->since = after;
  after->size = 1;
  if (now_) {
    const auto* replaced = made.replaced();
    after->size = now_->size + (replaced == nullptr ? 1 : 0);
    if (!now_->since.expired()) {
      after->since = now_->since;
      after->writes = now_->writes + 1;
      after->bytes = now_->bytes + (replaced == nullptr ? 0 : replaced->bytes);
    }
    now_->gone = made.gone();
    now_->next = after;
  }
  now_ = std::move(after);
}

} // namespace convene::session
