#include <convene/cli/people/shown_text.hpp>
#include <convene/cli/view/text.hpp>

#include <algorithm>

namespace convene::cli {
namespace {

constexpr std::size_t shown_max = 4'000; // bytes of one text

} // namespace

std::string indented(std::string_view text, std::string_view indent) {
  std::string made;
  const bool cut = text.size() > shown_max;
  text = text.substr(0, shown_max);
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    made.append(indent) += neutral(text.substr(0, end));
    made += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (cut)
    made.append(indent) += "...\n";
  return made;
}

} // namespace convene::cli
