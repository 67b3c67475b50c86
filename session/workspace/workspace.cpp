#include <convene/session/workspace/size.hpp>
#include <convene/session/workspace/workspace.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;

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
  const auto* found = view_.tree_.find(what);
  return found == nullptr ? nullptr : found->standing;
}

std::uint64_t workspace::version_of(const resource_name& what) const {
  const auto* found = view_.find(what);
  return found == nullptr ? 0 : found->version;
}

const workspace::versions*
workspace::versions_of(const resource_name& what) const {
  const auto* found = view_.tree_.find(what);
  // None are left of what stood when an earlier view came back.
  return found == nullptr || found->place >= histories_.size()
             || histories_[found->place].empty()
           ? nullptr
           : &histories_[found->place];
}

resource_version workspace::at(const resource_name& what,
                               std::uint64_t version) const {
  const auto* kept = versions_of(what);
  if (kept == nullptr)
    return nullptr;
  // The last with this version: it may have been refreshed.
  const auto after = std::ranges::upper_bound(
    *kept, version, {}, [](const auto& one) { return one->version; });
  return after == kept->begin() || (*std::prev(after))->version != version
           ? nullptr
           : *std::prev(after);
}

std::vector<resource_version>
workspace::history(const resource_name& what) const {
  const auto* kept = versions_of(what);
  return kept == nullptr ? versions{} : *kept;
}

protocol::result<void> workspace::check_room(const resource_name& what,
                                             std::size_t bytes) const {
  if (auto good = check_name(what); !good)
    return good;
  if (histories_.size() >= resources_max && view_.find(what) == nullptr)
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
  const auto hash = resource_hash{}(what);
  const auto* before = view_.tree_.find(what, hash);
  const auto place = before == nullptr
                       ? static_cast<std::uint32_t>(histories_.size())
                       : before->place;
  resource made{
    .key = before == nullptr ? std::make_shared<const resource_key>(
             resource_key{std::string{what.type}, std::string{what.id}})
                             : before->standing->key,
    .version = before == nullptr ? 1 : before->standing->version + 1,
    .revision = view_.revision() + 1,
    .base = before == nullptr ? 0 : before->standing->version - replaced,
    .deleted = !value,
    .by = by};
  if (value)
    made.value = *std::move(value);
  made.bytes = measure(made.value).bytes;
  auto standing = std::make_shared<const resource>(std::move(made));
  keep(standing, hash, place);
  forget(histories_[place], oldest_seen);
  return standing;
}

void workspace::refresh(const resource_name& what, json::value value) {
  const auto hash = resource_hash{}(what);
  const auto* before = view_.tree_.find(what, hash);
  if (before == nullptr || versions_of(what) == nullptr)
    return;
  const auto place = before->place;
  auto made = *before->standing;
  made.revision = view_.revision() + 1;
  made.value = std::move(value);
  made.bytes = measure(made.value).bytes;
  keep(std::make_shared<const resource>(std::move(made)), hash, place);
}

protocol::result<void> workspace::restore(resource_version what) {
  const auto name = name_of(*what->key);
  if (auto room = check_room(name, what->bytes); !room)
    return room;
  const auto hash = resource_hash{}(name);
  const auto* before = view_.tree_.find(name, hash);
  const auto place = before == nullptr
                       ? static_cast<std::uint32_t>(histories_.size())
                       : before->place;
  if (what->revision <= view_.revision() || what->version == 0
      || what->version - 1 < what->base
      || (before != nullptr && what->version != before->standing->version
          && what->version - 1 != before->standing->version))
    return fail(errc::invalid_document,
                "a version of a resource does not follow from those before",
                "resource_version");
  keep(std::move(what), hash, place);
  return {};
}

void workspace::keep(resource_version what, std::size_t hash,
                     std::uint32_t place) {
  bytes_ += what->bytes;
  if (histories_.size() <= place)
    histories_.resize(place + 1);
  histories_[place].push_back(what);
  view_.revision_ = what->revision;
  view_.tree_.put({.standing = std::move(what), .hash = hash, .place = place});
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
