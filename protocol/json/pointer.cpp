#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/pointer.hpp>

namespace convene::protocol {

void append_token(std::string& pointer, std::string_view name) {
  pointer += '/';
  for (const char c : name) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
}

void append_to_pointer(std::string& pointer, std::string_view name) {
  constexpr std::size_t name_bytes_max = 128;
  append_token(pointer, cut_utf8(name, name_bytes_max));
}

bool read_token(std::string_view token, std::string& name) {
  name.clear();
  bool is_valid = true;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = token[i] == '~' && i + 1 < token.size() ? token[i + 1]
                                                              : 0;
    if (next == '0' || next == '1') {
      name += next == '0' ? '~' : '/';
      ++i;
    } else {
      is_valid = is_valid && token[i] != '~';
      name += token[i];
    }
  }
  return is_valid;
}

} // namespace convene::protocol
