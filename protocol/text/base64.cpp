#include <convene/protocol/text/base64.hpp>

#include <cstddef>
#include <cstdint>

namespace convene::protocol {

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits
    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i)
      three = three << 8U
              | (at + i < bytes.size()
                   ? static_cast<unsigned char>(bytes[at + i])
                   : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += at + i <= bytes.size() ? digits[three >> (18U - 6U * i) & 63U]
                                     : '=';
  }
  return text;
}

} // namespace convene::protocol
