#include <boost/json/array.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/a2a/push_book.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::result;

/// The items of what is on disk; none if it has another form.
const json::array& configs_in(const json::object& document) {
  static const json::array none;
  const auto* member = document.if_contains("configs");
  const auto* items = member == nullptr ? nullptr : member->if_array();
  return items == nullptr ? none : *items;
}

} // namespace

result<void> check_push(const std::filesystem::path& file) {
  const auto read = read_private(file);
  if (!read)
    return protocol::fail(read.error());
  if (configs_in(*read).empty())
    return protocol::fail(host::file_error(protocol::errc::invalid_document,
                                           file,
                                           "has no push notification configs"));
  return {};
}

push_book::push_book(private_folder in) : files_{std::move(in)} {
  for (const auto& [task, document] : files_.load())
    for (const auto& each : configs_in(document))
      if (const auto* item = each.if_object()) {
        by_task_[to_string(task)].push_back(
          {push_config_of(*item), ++last_number_});
        ++count_;
      }
}

result<std::uint64_t> push_book::put(const std::string& task,
                                     push_config what) {
  const std::lock_guard held{mutex_};
  auto& all = by_task_[task];
  const auto old = std::ranges::find(all, what.id, [](const entry& each) {
    return each.what.id;
  });
  if (old != all.end()) {
    // A message that is sent again: updates may be left to deliver.
    if (old->what.url == what.url)
      what.delivered = old->what.delivered;
    *old = {std::move(what), ++last_number_};
    return last_number_;
  }
  if (count_ == configs_max || all.size() == configs_of_task_max) {
    if (all.empty())
      by_task_.erase(task);
    return protocol::fail(protocol::errc::limit_reached,
                          "this task, or the server, has as many push "
                          "notification configs as are allowed",
                          "push_configs_max");
  }
  ++count_;
  all.push_back({std::move(what), ++last_number_});
  return last_number_;
}

std::vector<push_book::entry> push_book::of(std::string_view task) const {
  const std::lock_guard held{mutex_};
  const auto found = by_task_.find(task);
  return found == by_task_.end() ? std::vector<entry>{} : found->second;
}

std::optional<push_config> push_book::find(std::string_view task,
                                           std::uint64_t number) const {
  for (auto& each : of(task))
    if (each.number == number)
      return std::move(each.what);
  return std::nullopt;
}

bool push_book::has(std::string_view task) const {
  const std::lock_guard held{mutex_};
  return by_task_.contains(task);
}

std::vector<std::string> push_book::tasks() const {
  std::vector<std::string> made;
  const std::lock_guard held{mutex_};
  for (const auto& [task, all] : by_task_)
    made.push_back(task);
  return made;
}

void push_book::delivered(std::string_view task, std::uint64_t number,
                          std::size_t place) {
  const std::lock_guard held{mutex_};
  if (const auto found = by_task_.find(task); found != by_task_.end())
    for (auto& each : found->second)
      if (each.number == number)
        each.what.delivered = std::max(each.what.delivered, place);
}

void push_book::remove(std::string_view task,
                       const std::function<bool(const entry&)>& which) {
  const std::lock_guard held{mutex_};
  const auto found = by_task_.find(task);
  if (found == by_task_.end())
    return;
  count_ -= std::erase_if(found->second, which);
  if (found->second.empty())
    by_task_.erase(found);
}

result<void> push_book::save(const std::string& task) const {
  const auto file = protocol::parse_uuid(task);
  if (!file)
    return protocol::fail(protocol::errc::internal, "not a task's id: " + task);
  json::array all;
  for (const auto& each : of(task))
    all.push_back(document_of(each.what));
  if (!all.empty())
    return files_.put(*file, {{"configs", std::move(all)}});
  files_.remove(*file);
  return {};
}

} // namespace convene::server
