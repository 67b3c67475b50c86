#include <convene/session/workspace/view.hpp>

#include <algorithm>

namespace convene::session {

const resource* workspace_view::find(const resource_name& what) const {
  const auto* found = tree_.find(what);
  return found == nullptr ? nullptr : found->standing.get();
}

std::vector<resource_version>
workspace_view::changes(std::uint64_t since) const {
  std::vector<resource_version> all;
  tree_.each_since(since, [&](const version_tree::entry& one) {
    all.push_back(one.standing);
  });
  std::ranges::sort(all, [](const auto& a, const auto& b) {
    return *a->key < *b->key;
  });
  return all;
}

std::vector<resource_version> workspace_view::resources() const {
  auto all = changes(0);
  std::erase_if(all, [](const auto& r) { return r->deleted; });
  return all;
}

bool workspace_view::operator==(const workspace_view& other) const {
  if (tree_.is_same_as(other.tree_))
    return revision_ == other.revision_;
  return revision_ == other.revision_
         && std::ranges::equal(changes(0), other.changes(0),
                               [](const auto& a, const auto& b) {
                                 return *a == *b;
                               });
}

} // namespace convene::session
