#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/lasting.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

error document_exists(std::string_view key) {
  return {.code = errc::not_allowed,
          .message = "the store has another document of this id, and does not "
                     "replace it: give each run ids of its own, or another "
                     "store",
          .rule = "document_exists",
          .value = shorten(key)};
}

result<void> put_lasting(state_store& into,
                         std::vector<lasting_entry> entries) {
  state_transaction all;
  for (auto& each : entries) {
    auto stored = awaited<std::optional<std::string>>(
      [&](auto then) { into.get(each.key, std::move(then)); });
    if (!stored)
      return fail(std::move(stored).error());
    const auto& before = *stored;
    if (before && (each.gives_way || *before == each.value))
      continue;
    if (before
        && std::ranges::find(each.replaces, *before) == each.replaces.end())
      return fail(document_exists(each.key));
    all.expect(each.key, before);
    all.set(std::move(each.key), std::move(each.value));
  }
  if (all.changes.empty())
    return {};
  return awaited<void>(
    [&](auto then) { into.commit(std::move(all), std::move(then)); });
}

} // namespace convene::host
