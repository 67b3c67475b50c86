#include <convene/runtime/outside/processes/folder_claims.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;

/// How many programs claim each. A folder comes right before its content.
using path_counts = std::map<fs::path, std::size_t>;

bool lies_in(const fs::path& file, const fs::path& folder) {
  return file != folder
         && std::ranges::mismatch(file, folder).in2 == folder.end();
}

void drop(path_counts& from, const fs::path& which) {
  if (const auto found = from.find(which);
      found != from.end() && --found->second == 0)
    from.erase(found);
}

tl::unexpected<protocol::error> refuse_nested(const fs::path& inner,
                                              const fs::path& outer) {
  return protocol::fail(
    {.code = protocol::errc::activation_refused,
     .message = inner.string() + " lies in " + outer.string()
                + ", which another sandboxed program writes and could replace "
                  "it in; give each program a working folder that is not "
                  "inside another's, or the same one",
     .file = inner.string(),
     .rule = "nested_folders"});
}

} // namespace

struct folder_claims::state {
  std::mutex mutex; ///< guards the rest
  path_counts writable;
  path_counts used;
};

folder_claims::folder_claims() : state_{std::make_shared<state>()} {
  // nop
}

protocol::result<std::shared_ptr<void>>
folder_claims::claim(const fs::path& writable, std::vector<fs::path> used) {
  // What is in its own folder, it may replace.
  std::erase_if(used,
                [&](const auto& each) { return lies_in(each, writable); });
  used.push_back(writable);
  const std::lock_guard held{state_->mutex};
  for (const auto& each : used)
    for (auto above = each.parent_path(), last = each; above != last;
         last = above, above = above.parent_path())
      if (state_->writable.contains(above))
        return refuse_nested(each, above);
  if (const auto next = state_->used.upper_bound(writable);
      next != state_->used.end() && lies_in(next->first, writable))
    return refuse_nested(next->first, writable);
  ++state_->writable[writable];
  for (const auto& each : used)
    ++state_->used[each];
  auto end = [state = state_, writable, used](void*) {
    const std::lock_guard within{state->mutex};
    drop(state->writable, writable);
    for (const auto& each : used)
      drop(state->used, each);
  };
  return std::shared_ptr<void>{state_.get(), std::move(end)};
}

} // namespace convene::host
