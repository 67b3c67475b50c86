#include <convene/session/dialog_window.hpp>

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

dialog_window dialog_record::last(std::size_t count, std::size_t bytes) const {
  auto from = all_.bytes();
  for (auto at = starts_.rbegin(); at != starts_.rend() && count > 0;
       ++at, --count) {
    if (all_.bytes() - *at > bytes)
      break;
    from = *at;
  }
  dialog_window part;
  part.packed_.assign(all_.packed_, from);
  return part;
}

} // namespace convene::session
