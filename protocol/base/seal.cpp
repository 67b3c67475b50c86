#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/seal.hpp>
#include <convene/protocol/base/sha256.hpp>

#include <span>

namespace convene::protocol {
namespace {

constexpr std::string_view before_seal = R"(,"seal":")";
constexpr std::string_view behind_seal = R"("})";

} // namespace

std::string seal_of(std::string_view before, std::string_view text) {
  std::string whole{before};
  whole.append(1, '\n').append(text);
  const auto hash = sha256(whole);
  return hex_of(std::span{hash}.first<seal_digits / 2>());
}

sealed_text split_seal(std::string_view object) noexcept {
  constexpr auto size = before_seal.size() + seal_digits + behind_seal.size();
  if (object.size() > size) {
    const auto end = object.substr(object.size() - size);
    const auto seal = end.substr(before_seal.size(), seal_digits);
    if (end.starts_with(before_seal) && end.ends_with(behind_seal)
        && is_lower_hex(seal, seal_digits))
      return {object.substr(0, object.size() - size), seal};
  }
  if (object.ends_with('}'))
    object.remove_suffix(1);
  return {object, {}};
}

std::string without_seal(std::string_view object) {
  const auto parts = split_seal(object);
  return parts.seal.empty() ? std::string{object}
                            : std::string{parts.text} + '}';
}

bool seal_chain::take(std::string_view line) {
  const auto [text, seal] = split_seal(line);
  last_ = seal_of(last_, text);
  // One that is written in another way is none of ours.
  const bool is_right = seal.empty()
                          ? !has_sealed_ && line.find(R"("seal")") == line.npos
                          : seal == last_;
  has_sealed_ = has_sealed_ || !seal.empty();
  return is_right;
}

std::string seal_chain::seal(std::string_view line) {
  auto sealed = with_seal(line, last_);
  last_ = split_seal(sealed).seal;
  return sealed;
}

std::string with_seal(std::string_view object, std::string_view before) {
  object.remove_suffix(1);
  const auto seal = seal_of(before, object);
  std::string made;
  made.reserve(object.size() + before_seal.size() + seal_digits
               + behind_seal.size());
  return made.append(object)
    .append(before_seal)
    .append(seal)
    .append(behind_seal);
}

} // namespace convene::protocol
