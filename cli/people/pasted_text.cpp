#include <convene/cli/people/pasted_text.hpp>

#include <cstddef>

namespace convene::cli {

std::string pasted_text(std::string_view sent) {
  std::string text;
  text.reserve(sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (sent[i] != '\r')
      text += sent[i];
    else if (i + 1 == sent.size() || sent[i + 1] != '\n')
      text += '\n';
  }
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

} // namespace convene::cli
