#include <convene/session/requests/dialog_window.hpp>

#include <algorithm>
#include <cstring>

namespace convene::session {
namespace {

constexpr std::size_t head_bytes = 16;

} // namespace

void dialog_window::add(const said& entry) {
  const auto size = static_cast<std::uint32_t>(entry.content.size());
  char head[head_bytes];
  std::memcpy(head, &size, 4);
  std::memcpy(head + 4, &entry.participant, 4);
  std::memcpy(head + 8, &entry.at, 8);
  packed_.append(head, head_bytes);
  packed_.append(entry.content);
}

std::vector<said> dialog_window::entries() const {
  std::vector<said> all;
  std::string_view rest{packed_};
  while (rest.size() >= head_bytes) {
    std::uint32_t size;
    said entry;
    std::memcpy(&size, rest.data(), 4);
    std::memcpy(&entry.participant, rest.data() + 4, 4);
    std::memcpy(&entry.at, rest.data() + 8, 8);
    rest.remove_prefix(head_bytes);
    // A window may come from another node, where nothing vouches for it.
    if (size > rest.size())
      break;
    entry.content = rest.substr(0, size);
    all.push_back(entry);
    rest.remove_prefix(size);
  }
  return all;
}

void dialog_record::add(const said& entry) {
  starts_.push_back(all_.bytes());
  all_.add(entry);
}

void dialog_record::truncate(std::size_t size) {
  if (size >= starts_.size())
    return;
  all_.packed_.resize(starts_[size]);
  starts_.resize(size);
}

dialog_window dialog_record::last(std::size_t count, std::size_t bytes) const {
  // Mostly all that may be shown fit, and then the first of them tells.
  auto first = starts_.end()
               - static_cast<std::ptrdiff_t>(std::min(count, starts_.size()));
  if (first != starts_.end() && all_.bytes() - *first > bytes)
    first = std::lower_bound(first, starts_.end(), all_.bytes() - bytes);
  const std::string_view all{all_.packed_};
  return dialog_window{
    all.substr(first == starts_.end() ? all.size() : *first)};
}

std::optional<std::size_t>
dialog_record::find(const dialog_window& part) const noexcept {
  // Mostly it is near the end.
  for (auto at = starts_.rbegin(); at != starts_.rend(); ++at)
    if (std::string_view{all_.packed_}.substr(*at, part.bytes())
        == part.packed_)
      return *at;
  return part.empty() ? std::optional{all_.bytes()} : std::nullopt;
}

std::optional<dialog_window> dialog_record::part(std::size_t from,
                                                 std::size_t bytes) const {
  const auto is_border = [this](std::size_t at) {
    return at == all_.bytes() || std::ranges::binary_search(starts_, at);
  };
  if (from > all_.bytes() || bytes > all_.bytes() - from || !is_border(from)
      || !is_border(from + bytes))
    return std::nullopt;
  return dialog_window{std::string_view{all_.packed_}.substr(from, bytes)};
}

} // namespace convene::session
