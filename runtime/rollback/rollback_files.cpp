#include <convene/protocol/base/timestamp.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/rollback/rollback_files.hpp>
#include <convene/session/workspace/fold.hpp>

#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

result<session::workspace_view> workspace_at(const rollback_record& of,
                                             std::size_t place) {
  session::workspace_fold fold;
  auto read
    = of.visit_run(of.stages().events_at(place).value_or(0),
                   [&](const json::object& event) { return fold.feed(event); });
  if (!read)
    return fail(std::move(read).error());
  return fold.resources().view();
}

/// What is to be at a path; nothing: no file.
using content = std::optional<std::string>;

result<bool> restore(const project_folder& folder, const std::string& path,
                     const content& wanted, const std::string& keep_at,
                     bool& differs) {
  const auto is = folder.look(path);
  if (!is)
    return fail(is.error());
  differs = is->exists != wanted.has_value()
            || (wanted && is->sha256 != hex_digest_of(*wanted));
  if (!differs)
    return false;
  return folder.replace(path,
                        wanted ? std::optional<std::string_view>{*wanted}
                               : std::nullopt,
                        is->exists, keep_at);
}

} // namespace

result<restored_files>
restore_files(const rollback_record& of, std::size_t place,
              const project_folder& folder, timestamp_ms now) {
  const auto stage = workspace_at(of, place);
  if (!stage)
    return fail(stage.error());
  const auto end = workspace_at(of, of.stages().end_place());
  if (!end)
    return fail(end.error());
  restored_files made;
  const auto keep_at = std::string{kept_folder} + '/' + format_timestamp(now);
  for (const auto& each : end->changes(0)) {
    if (each->key->type != "file")
      continue;
    const auto& path = each->key->id;
    const auto* const was = stage->find({each->key->type, path});
    content wanted;
    if (was != nullptr && !was->deleted) {
      const auto* const text = was->value.if_string();
      if (text == nullptr) {
        made.skipped.push_back(path);
        continue;
      }
      wanted.emplace(*text);
    }
    bool differs = false;
    const auto moved = restore(folder, path, wanted, keep_at, differs);
    if (!moved)
      made.errors.push_back(moved.error());
    else if (differs)
      made.restored.emplace_back(path,
                                 *moved
                                   ? (folder.name() / keep_at / path).string()
                                   : std::string{});
  }
  return made;
}

} // namespace convene::host
