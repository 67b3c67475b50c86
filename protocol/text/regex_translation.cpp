#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/text/regex_translation.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace convene::protocol::validation {
namespace {

/// ECMA's white space and line ends, and all else, as contents of a class.
constexpr std::string_view spaces
  = R"(\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f})"
    R"(\x{3000}\x{feff})";
constexpr std::string_view not_spaces
  = R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
    R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff})"
    R"(\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view not_line_ends = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view anything = R"([\x{0}-\x{10ffff}])";
constexpr std::string_view nothing = R"([^\x{0}-\x{10ffff}])";

/// The long names of general categories, which RE2 knows by the short ones.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12>
  categories{{{"Letter", "L"},
              {"Lowercase_Letter", "Ll"},
              {"Mark", "M"},
              {"Number", "N"},
              {"Decimal_Number", "Nd"},
              {"Other", "C"},
              {"Punctuation", "P"},
              {"Separator", "Z"},
              {"Space_Separator", "Zs"},
              {"Symbol", "S"},
              {"Titlecase_Letter", "Lt"},
              {"Uppercase_Letter", "Lu"}}};

class translator {
public:
  explicit translator(std::string_view pattern) : rest_(pattern) {}

  result<std::string> run() {
    while (!rest_.empty() && !wrong_) {
      const char c = take();
      if (c == '\\')
        escape(false);
      else if (c == '[')
        character_class();
      else if (c == '(')
        group();
      else if (c == '.')
        out_ += not_line_ends;
      else
        out_ += c;
    }
    if (wrong_)
      return fail(std::move(*wrong_));
    return std::move(out_);
  }

private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool take_if(std::string_view text) {
    if (!rest_.starts_with(text))
      return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  void refuse(std::string_view what) {
    wrong_ = error{.code = errc::unsupported,
                   .message = "patterns are matched in linear time, which "
                              "leaves out "
                              + std::string{what},
                   .rule = std::string{what}};
  }

  void reject(std::string message) {
    wrong_ = error{.code = errc::invalid_document,
                   .message = std::move(message),
                   .rule = "pattern"};
  }

  void group() {
    out_ += '(';
    if (!take_if("?"))
      return;
    if (take_if(":"))
      out_ += "?:";
    else if (rest_.starts_with("=") || rest_.starts_with("!"))
      refuse("lookahead");
    else if (rest_.starts_with("<=") || rest_.starts_with("<!"))
      refuse("lookbehind");
    else if (take_if("<"))
      out_ += "?P<";
    else
      reject("a group cannot begin so");
  }

  void character_class() {
    const bool inverted = take_if("^");
    if (take_if("]")) {
      out_ += inverted ? anything : nothing;
      return;
    }
    out_ += inverted ? "[^" : "[";
    bool after_class = false;
    while (!rest_.empty() && !wrong_) {
      const char c = take();
      if (c == ']') {
        out_ += c;
        return;
      }
      if (c == '\\') {
        after_class = escape(true);
        continue;
      }
      if (c == '[' || (c == '-' && after_class))
        out_ += '\\';
      out_ += c;
      after_class = false;
    }
    if (!wrong_)
      reject("a character class has no end");
  }

  /// What follows a backslash. Whether it stands for several characters.
  bool escape(bool in_class) {
    if (rest_.empty()) {
      reject("a backslash ends the pattern");
      return false;
    }
    const char c = take();
    switch (c) {
      case 'd':
      case 'D':
      case 'w':
      case 'W':
        return put_escaped(c);
      case 's':
      case 'S':
        out_ += in_class ? "" : "[";
        out_ += c == 's' ? spaces : not_spaces;
        out_ += in_class ? "" : "]";
        return true;
      case 'p':
      case 'P':
        property(c);
        return true;
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
        put_escaped(c);
        return false;
      case 'b':
      case 'B':
        if (!in_class)
          put_escaped(c);
        else if (c == 'b')
          out_ += "\\x{8}";
        else
          reject("\\B makes no sense in a character class");
        return false;
      case 'c':
        control();
        return false;
      case 'x':
        code_point(take_hex(2));
        return false;
      case 'u':
        unicode();
        return false;
      default:
        identity(c);
        return false;
    }
  }

  bool put_escaped(char c) {
    out_ += '\\';
    out_ += c;
    return true;
  }

  void identity(char c) {
    if (c == 'k' || (c >= '1' && c <= '9'))
      return refuse("backreference");
    if (c == '0' && (rest_.empty() || rest_[0] < '0' || rest_[0] > '9'))
      return code_point(0);
    if (is_alnum(c))
      return reject(std::string{"no escape is written \\"} + c);
    const bool plain = c == '_' || static_cast<unsigned char>(c) >= 0x80;
    out_ += plain ? "" : "\\";
    out_ += c;
  }

  void control() {
    if (rest_.empty() || !is_alnum(rest_[0]) || rest_[0] <= '9')
      return reject("\\c needs a letter");
    code_point(static_cast<std::uint32_t>(take()) & 31U);
  }

  std::optional<std::uint32_t> take_hex(std::size_t count) {
    const auto digits = rest_.substr(0, count);
    const auto value = parse_hex(digits);
    if (digits.size() != count || count > 8 || !value)
      return std::nullopt;
    rest_.remove_prefix(count);
    return static_cast<std::uint32_t>(*value);
  }

  void unicode() {
    if (take_if("{")) {
      const auto value = take_hex(std::min<std::size_t>(rest_.find('}'), 9));
      return take_if("}") ? code_point(value) : code_point(std::nullopt);
    }
    auto value = take_hex(4);
    if (value && *value >= 0xd800 && *value < 0xdc00 && take_if("\\u")) {
      const auto low = take_hex(4);
      if (!low || *low < 0xdc00 || *low > 0xdfff)
        return refuse("surrogate");
      value = 0x10000 + ((*value - 0xd800) << 10U) + (*low - 0xdc00);
    }
    code_point(value);
  }

  void code_point(std::optional<std::uint32_t> value) {
    if (!value || *value > 0x10ffff)
      return reject("an escape wants hexadecimal digits up to 10ffff");
    if (*value >= 0xd800 && *value <= 0xdfff)
      return refuse("surrogate");
    std::array<char, 8> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   *value, 16)
                       .ptr;
    out_.append("\\x{").append(digits.data(), end).append("}");
  }

  void property(char c) {
    const auto end = rest_.find('}');
    if (!take_if("{") || end == std::string_view::npos)
      return reject("\\p needs a property in braces");
    auto name = rest_.substr(0, end - 1);
    rest_.remove_prefix(end);
    if (const auto equals = name.find('='); equals != std::string_view::npos) {
      const auto key = name.substr(0, equals);
      if (key != "Script" && key != "sc" && key != "General_Category"
          && key != "gc")
        return refuse("property");
      name.remove_prefix(equals + 1);
    }
    const auto* const known = std::ranges::find(
      categories, name, &decltype(categories)::value_type::first);
    if (known != categories.end())
      name = known->second;
    if (!std::ranges::all_of(name,
                             [](char l) { return is_alnum(l) || l == '_'; }))
      return reject("\\p needs the name of a property");
    out_ += '\\';
    out_ += c;
    out_.append("{").append(name).append("}");
  }

  std::string_view rest_;
  std::string out_;
  std::optional<error> wrong_;
};

} // namespace

result<std::string> translate_pattern(std::string_view pattern) {
  return translator{pattern}.run();
}

} // namespace convene::protocol::validation
