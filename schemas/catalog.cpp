#include <convene/schemas/catalog.hpp>

#include <algorithm>

namespace convene::schemas {

std::string_view name(const embedded_file& file) noexcept {
  auto stem = file.path;
  stem.remove_prefix(stem.rfind('/') + 1); // npos + 1 is 0
  return stem.substr(0, stem.find('.'));
}

std::string_view short_name(const embedded_file& file) noexcept {
  auto rest = name(file);
  for (std::string_view prefix : {"mplp-", "convene-"})
    if (rest.starts_with(prefix))
      rest.remove_prefix(prefix.size());
  return rest;
}

const embedded_file* find(std::string_view wanted) noexcept {
  if (wanted.empty())
    return nullptr;
  const auto files = all();
  const auto found = std::ranges::find_if(files, [wanted](const auto& file) {
    return wanted == file.path || wanted == file.id || wanted == name(file)
           || wanted == short_name(file);
  });
  return found == files.end() ? nullptr : &*found;
}

} // namespace convene::schemas
