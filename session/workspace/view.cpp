#include <convene/session/workspace/view.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

bool earlier(const resource_version& a, const resource_version& b) {
  return *a->key < *b->key;
}

} // namespace

const resource* workspace_view::find(const resource_name& what) const {
  const resource_equal same;
  for (const auto* next = latest_.get(); next != nullptr;
       next = next->before.get())
    if (same(*next->what->key, what))
      return next->what.get();
  if (!table_)
    return nullptr;
  const auto found = std::ranges::lower_bound(
    *table_, std::pair{what.type, what.id}, {}, [](const resource_version& r) {
      return std::pair<std::string_view, std::string_view>{r->key->type,
                                                           r->key->id};
    });
  return found != table_->end() && same(*(*found)->key, what) ? found->get()
                                                              : nullptr;
}

std::vector<resource_version>
workspace_view::changes(std::uint64_t since) const {
  std::vector<resource_version> recent;
  for (const auto* next = latest_.get();
       next != nullptr && next->what->revision > since;
       next = next->before.get())
    recent.push_back(next->what);
  // The newest of each comes first and stays.
  std::ranges::stable_sort(recent, earlier);
  const auto twice = std::ranges::unique(recent, [](const auto& a, auto& b) {
    return *a->key == *b->key;
  });
  recent.erase(twice.begin(), twice.end());
  if (!table_)
    return recent;
  std::vector<resource_version> all;
  auto next = recent.begin();
  for (const auto& old : *table_) {
    while (next != recent.end() && earlier(*next, old))
      all.push_back(std::move(*next++));
    if (next != recent.end() && *(*next)->key == *old->key)
      all.push_back(std::move(*next++));
    else if (old->revision > since || since == 0)
      all.push_back(old);
  }
  all.insert(all.end(), std::move_iterator{next},
             std::move_iterator{recent.end()});
  return all;
}

std::vector<resource_version> workspace_view::resources() const {
  auto all = changes(0);
  std::erase_if(all, [](const auto& r) { return r->deleted; });
  return all;
}

bool workspace_view::operator==(const workspace_view& other) const {
  if (table_ == other.table_ && latest_ == other.latest_)
    return revision_ == other.revision_;
  return revision_ == other.revision_
         && std::ranges::equal(changes(0), other.changes(0),
                               [](const auto& a, const auto& b) {
                                 return *a == *b;
                               });
}

} // namespace convene::session
