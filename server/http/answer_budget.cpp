#include <convene/server/http/answer_budget.hpp>

#include <algorithm>

namespace convene::server {

void answer_budget::charge::release() {
  if (bytes_ != 0)
    of_->give_back(reader_, std::exchange(bytes_, 0));
}

answer_budget::room answer_budget::room_within(std::string_view reader,
                                               std::size_t bytes) const {
  const auto fits = [bytes](std::size_t has, std::size_t most) {
    return has == 0 || (bytes <= most && has <= most - bytes);
  };
  const auto found = readers_.find(reader);
  if (found != readers_.end() && !fits(found->second, limits_.reader_max))
    return room::reader_full;
  return fits(bytes_, limits_.all_max) ? room::enough : room::full;
}

answer_budget::charge answer_budget::count(std::string_view reader,
                                           std::size_t bytes) {
  charge made;
  if (bytes == 0)
    return made;
  made.of_ = shared_from_this();
  made.reader_ = reader;
  made.bytes_ = bytes;
  readers_[made.reader_] += bytes;
  bytes_ += bytes;
  peak_ = std::max(peak_, bytes_);
  return made;
}

answer_budget::room answer_budget::room_for(std::string_view reader,
                                            std::size_t bytes) const {
  const std::lock_guard held{mutex_};
  return room_within(reader, bytes);
}

answer_budget::room answer_budget::try_take(std::string_view reader,
                                            std::size_t bytes, charge& into) {
  charge made;
  {
    const std::lock_guard held{mutex_};
    if (const auto why = room_within(reader, bytes); why != room::enough)
      return why;
    made = count(reader, bytes);
  }
  into = std::move(made);
  return room::enough;
}

answer_budget::charge answer_budget::take(std::string_view reader,
                                          std::size_t bytes) {
  const std::lock_guard held{mutex_};
  return count(reader, bytes);
}

void answer_budget::give_back(const std::string& reader, std::size_t bytes) {
  const std::lock_guard held{mutex_};
  bytes_ -= bytes;
  const auto found = readers_.find(reader);
  found->second -= bytes;
  if (found->second == 0)
    readers_.erase(found);
}

std::size_t answer_budget::bytes() const {
  const std::lock_guard held{mutex_};
  return bytes_;
}

std::size_t answer_budget::take_peak() {
  const std::lock_guard held{mutex_};
  return std::exchange(peak_, bytes_);
}

} // namespace convene::server
