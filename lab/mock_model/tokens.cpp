#include <convene/lab/mock_model/tokens.hpp>
#include <convene/protocol/base/utf8.hpp>

namespace convene::host::mock {
namespace {

/// Calls `visit` with the place of each token, until it returns false.
template <class Visit>
void visit_tokens(std::string_view text, Visit visit) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = protocol::begins_character(text[at]);
    if (begins && characters++ % token_characters == 0 && !visit(at))
      return;
  }
}

} // namespace

std::int64_t count_tokens(std::string_view text) noexcept {
  std::int64_t out = 0;
  visit_tokens(text, [&out](std::size_t) { return ++out > 0; });
  return out;
}

std::vector<std::uint32_t> token_starts(std::string_view text) {
  std::vector<std::uint32_t> out;
  visit_tokens(text, [&out](std::size_t at) {
    out.push_back(static_cast<std::uint32_t>(at));
    return true;
  });
  return out;
}

std::string_view first_tokens(std::string_view text,
                              std::int64_t tokens) noexcept {
  auto end = text.size();
  std::int64_t seen = 0;
  visit_tokens(text, [&](std::size_t at) {
    if (seen++ < tokens)
      return true;
    end = at;
    return false;
  });
  return text.substr(0, end);
}

} // namespace convene::host::mock
