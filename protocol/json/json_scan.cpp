#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/json/json_scan.hpp>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>
#include <vector>

namespace convene::protocol {
namespace {

/// An array or object that has begun and not ended.
struct container {
  bool is_object = false;
  std::size_t index = 0; ///< of the current item
  std::string key;       ///< of the current member
  std::unordered_set<std::string> keys;
};

/// What may come next.
enum class expected : std::uint8_t {
  value,
  value_or_end, ///< after `[`
  key,
  key_or_end, ///< after `{`
  comma_or_end,
  nothing
};

/// Walks a JSON text without recursion until something is wrong. Each function
/// returns false once `fault` is set.
class scanner {
public:
  scanner(std::string_view text, const json_limits& limits)
    : text_{text}, limits_{limits} {
    // nop
  }

  std::optional<error> run() {
    skip_space();
    if (at_end())
      refuse(0, "empty", "the text is empty: write a JSON value");
    while (!fault_ && !(expected_ == expected::nothing && at_end())) {
      step();
      skip_space();
    }
    return std::move(fault_);
  }

private:
  void step() {
    if (at_end()) {
      unexpected("close every array and object");
      return;
    }
    const char c = text_[at_];
    switch (expected_) {
      case expected::value_or_end:
        if (c == ']')
          return close();
        [[fallthrough]];
      case expected::value:
        return value(c);
      case expected::key_or_end:
        if (c == '}')
          return close();
        [[fallthrough]];
      case expected::key:
        return key(c);
      case expected::comma_or_end:
        return comma_or_end(c);
      case expected::nothing:
        return unexpected("remove what follows the JSON value");
    }
  }

  void value(char c) {
    if (c == '{' || c == '[')
      return open(c == '{');
    const auto start = at_;
    if (c == '"') {
      if (!string())
        return;
    } else if (c == '-' || is_digit(c)) {
      if (!number())
        return;
    } else if (!literal("true") && !literal("false") && !literal("null")) {
      return unexpected(
        "write a value here: an object, an array, a string in double quotes, "
        "a number, true, false or null");
    }
    if (at_ < text_.size() && !is_json_space(text_[at_])
        && std::string_view{",:]}[{\""}.find(text_[at_])
             == std::string_view::npos) {
      at_ = start;
      return unexpected("this is not a JSON value");
    }
    finish_value();
  }

  void open(bool is_object) {
    if (open_.size() >= limits_.depth)
      return refuse(at_, "depth",
                    "arrays and objects are nested deeper than "
                      + std::to_string(limits_.depth) + ": flatten them",
                    errc::limit_reached);
    ++at_;
    open_.push_back({.is_object = is_object});
    expected_ = is_object ? expected::key_or_end : expected::value_or_end;
  }

  void close() {
    ++at_;
    open_.pop_back();
    finish_value();
  }

  void finish_value() {
    expected_ = open_.empty() ? expected::nothing : expected::comma_or_end;
  }

  void comma_or_end(char c) {
    auto& inside = open_.back();
    if (c == (inside.is_object ? '}' : ']'))
      return close();
    if (c != ',')
      return unexpected(inside.is_object ? "write ',' or '}' here"
                                         : "write ',' or ']' here");
    ++at_;
    ++inside.index;
    expected_ = inside.is_object ? expected::key : expected::value;
  }

  void key(char c) {
    if (c != '"')
      return unexpected("write a member's name in double quotes here");
    const auto start = at_;
    if (!string())
      return;
    auto& inside = open_.back();
    inside.key = string_;
    if (!inside.keys.insert(string_).second) {
      refuse(start, "duplicate_key",
             "the object has this member twice: remove one of them");
      fault_->pointer = pointer();
      return;
    }
    skip_space();
    if (at_end() || text_[at_] != ':')
      return unexpected("write ':' after a member's name");
    ++at_;
    expected_ = expected::value;
  }

  /// Reads a string into `string_`.
  bool string() {
    const auto start = at_++;
    string_.clear();
    while (!at_end() && text_[at_] != '"') {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) {
        unexpected("write control characters in strings as escapes such as "
                   "\\n or \\u0000");
        return false;
      }
      if (c == '\\') {
        if (!escape())
          return false;
      } else {
        string_ += c;
        ++at_;
      }
    }
    if (at_end()) {
      at_ = start;
      unexpected("this string has no closing quote");
      return false;
    }
    ++at_;
    if (string_.size() <= limits_.string_bytes)
      return true;
    refuse(start, "string_size",
           "the string is longer than " + std::to_string(limits_.string_bytes)
             + " bytes: shorten it",
           errc::limit_reached);
    return false;
  }

  bool escape() {
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    const char c = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (const auto found = names.find(c); found != std::string_view::npos) {
      string_ += meanings[found];
      at_ += 2;
      return true;
    }
    auto code = code_unit(at_);
    std::size_t bytes = 6;
    if (code >= 0xd800 && code < 0xdc00) {
      const auto low = code_unit(at_ + 6);
      bytes = 12;
      code = low >= 0xdc00 && low < 0xe000
               ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
               : -2;
    } else if (code >= 0xdc00 && code < 0xe000) {
      code = -2;
    }
    if (code < 0) {
      unexpected(code == -1 ? "this is not an escape that JSON knows"
                            : "this escape is half of a surrogate pair: write "
                              "both halves or the character itself");
      return false;
    }
    append_utf8(code);
    at_ += bytes;
    return true;
  }

  /// The four hexadecimal digits of the `\uXXXX` at `at`, or -1.
  [[nodiscard]] int code_unit(std::size_t at) const {
    if (at + 6 > text_.size() || text_.substr(at, 2) != "\\u")
      return -1;
    const auto code = parse_hex(text_.substr(at + 2, 4));
    return code ? static_cast<int>(*code) : -1;
  }

  void append_utf8(int code) {
    auto put = [this](int byte) { string_ += static_cast<char>(byte); };
    if (code < 0x80)
      return put(code);
    if (code < 0x800)
      put(0xc0 | code >> 6);
    else if (code < 0x10000)
      put(0xe0 | code >> 12);
    else
      put(0xf0 | code >> 18);
    if (code >= 0x10000)
      put(0x80 | (code >> 12 & 0x3f));
    if (code >= 0x800)
      put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }

  bool number() {
    const auto start = at_;
    if (text_[at_] == '-')
      ++at_;
    const bool zero = at_ < text_.size() && text_[at_] == '0';
    const auto whole = digits();
    bool good = whole > 0 && (!zero || whole == 1);
    bool is_integer = true;
    if (good && literal(".")) {
      is_integer = false;
      good = digits() > 0;
    }
    if (good && (literal("e") || literal("E"))) {
      is_integer = false;
      if (!literal("+"))
        literal("-");
      good = digits() > 0;
    }
    const auto token = text_.substr(start, at_ - start);
    if (!good) {
      at_ = start;
      unexpected("this is not a number that JSON knows");
      return false;
    }
    if (in_range(token, is_integer))
      return true;
    refuse(start, "number_range",
           is_integer ? "the number does not fit 64 bits: write it as a string"
                      : "the number is beyond what a double holds: write it as "
                        "a string");
    fault_->value = shorten(token);
    return false;
  }

  template <class Number>
  static bool fits(std::string_view token) {
    Number value{};
    return std::from_chars(token.data(), token.data() + token.size(), value).ec
           == std::errc{};
  }

  static bool in_range(std::string_view token, bool is_integer) {
    if (is_integer)
      return token[0] == '-' ? fits<std::int64_t>(token)
                             : fits<std::uint64_t>(token);
    if (fits<double>(token))
      return true;
    // from_chars calls what is too small out of range as well; we do not.
    simdjson::dom::parser parser;
    return !parser.parse(token.data(), token.size()).error();
  }

  std::size_t digits() {
    const auto start = at_;
    while (at_ < text_.size() && is_digit(text_[at_]))
      ++at_;
    return at_ - start;
  }

  bool literal(std::string_view word) {
    if (!text_.substr(at_).starts_with(word))
      return false;
    at_ += word.size();
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && is_json_space(text_[at_]))
      ++at_;
  }

  [[nodiscard]] bool at_end() const {
    return at_ == text_.size();
  }

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const auto& inside : open_)
      append_to_pointer(path, inside.is_object ? inside.key
                                               : std::to_string(inside.index));
    return path;
  }

  void unexpected(std::string message) {
    if (at_end())
      message = "the text ends too early: " + message;
    refuse(at_, "syntax", std::move(message));
    const auto rest = text_.substr(at_, 64);
    fault_->value = shorten(rest.substr(0, rest.find_first_of("\r\n")));
  }

  void refuse(std::size_t at, std::string rule, std::string message,
              errc code = errc::invalid_json) {
    fault_ = fault_at(text_, at, std::move(rule), std::move(message));
    fault_->code = code;
  }

  std::string_view text_;
  const json_limits& limits_;
  std::size_t at_ = 0;
  expected expected_ = expected::value;
  std::vector<container> open_;
  std::string string_;
  std::optional<error> fault_;
};

} // namespace

error fault_at(std::string_view text, std::size_t offset, std::string rule,
               std::string message) {
  const auto before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1; // npos + 1 is 0
  return {.code = errc::invalid_json,
          .message = std::move(message),
          .rule = std::move(rule),
          .line = static_cast<std::size_t>(lines) + 1,
          .column = offset - line_start + 1};
}

std::optional<error> find_fault(std::string_view text,
                                const json_limits& limits) {
  return scanner{text, limits}.run();
}

} // namespace convene::protocol
