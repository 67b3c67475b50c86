#include <convene/session/workspace/size.hpp>
#include <convene/session/workspace/workspace.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;

/// How many writes a view may have to look through before its table.
constexpr std::size_t shown_min = 64;
constexpr std::size_t shown_max = 1024;

protocol::result<void> check_name(const resource_name& what) {
  if (what.type.empty() || what.id.empty())
    return fail(errc::invalid_document,
                "a resource has a type and an id that are not empty",
                "resource_name");
  if (what.type.size() > resource_type_bytes_max
      || what.id.size() > resource_id_bytes_max)
    return fail(
      errc::limit_reached,
      "a resource type has at most " + std::to_string(resource_type_bytes_max)
        + " bytes, an id at most " + std::to_string(resource_id_bytes_max),
      "resource_name");
  return {};
}

} // namespace

resource_version workspace::find(const resource_name& what) const {
  const auto found = versions_.find(what);
  return found == versions_.end() ? nullptr : found->second.back();
}

std::uint64_t workspace::version_of(const resource_name& what) const {
  const auto found = versions_.find(what);
  return found == versions_.end() ? 0 : found->second.back()->version;
}

resource_version workspace::at(const resource_name& what,
                               std::uint64_t version) const {
  const auto found = versions_.find(what);
  if (found == versions_.end())
    return nullptr;
  const auto& kept = found->second;
  const auto first = kept.front()->version;
  return version < first || version > kept.back()->version
           ? nullptr
           : kept[version - first];
}

std::vector<resource_version>
workspace::history(const resource_name& what) const {
  const auto found = versions_.find(what);
  return found == versions_.end() ? std::vector<resource_version>{}
                                  : found->second;
}

protocol::result<void> workspace::check_room(const resource_name& what,
                                             std::size_t bytes) const {
  if (auto good = check_name(what); !good)
    return good;
  if (versions_.size() >= resources_max && !versions_.contains(what))
    return fail(errc::limit_reached,
                "a session has at most " + std::to_string(resources_max)
                  + " resources",
                "resources_max");
  if (bytes_ + bytes > workspace_bytes_max)
    return fail(errc::limit_reached,
                "the session's resources take more than "
                  + std::to_string(workspace_bytes_max) + " bytes",
                "workspace_bytes_max");
  return {};
}

resource_version workspace::add(const resource_name& what,
                                std::optional<json::value> value,
                                const author& by, std::uint64_t oldest_seen,
                                std::uint64_t replaced) {
  auto found = versions_.find(what);
  if (found == versions_.end())
    found = versions_
              .try_emplace({std::string{what.type}, std::string{what.id}})
              .first;
  auto& kept = found->second;
  resource made{.key = kept.empty()
                         ? std::make_shared<const resource_key>(found->first)
                         : kept.back()->key,
                .version = kept.empty() ? 1 : kept.back()->version + 1,
                .revision = view_.revision() + 1,
                .base = kept.empty() ? 0 : kept.back()->version - replaced,
                .deleted = !value,
                .by = by};
  if (value)
    made.value = *std::move(value);
  made.bytes = measure(made.value).bytes;
  bytes_ += made.bytes;
  kept.push_back(std::make_shared<const resource>(std::move(made)));
  auto standing = kept.back();
  show(standing);
  forget(kept, oldest_seen);
  return standing;
}

void workspace::show(const resource_version& what) {
  view_.revision_ = what->revision;
  view_.latest_ = std::make_shared<const workspace_view::change>(
    workspace_view::change{what, std::move(view_.latest_)});
  if (++shown_ <= std::clamp(versions_.size() / 4, shown_min, shown_max))
    return;
  view_.table_
    = std::make_shared<const workspace_view::table>(view_.changes(0));
  view_.latest_.reset();
  shown_ = 0;
}

void workspace::forget(versions& of, std::uint64_t oldest_seen) {
  // Twice as many, so that most writes forget nothing.
  if (of.size() < 2 * versions_kept)
    return;
  const auto most = of.size() - versions_kept;
  std::size_t gone = 0;
  while (gone < most && of[gone + 1]->revision <= oldest_seen)
    bytes_ -= of[gone++]->bytes;
  of.erase(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(gone));
}

} // namespace convene::session
