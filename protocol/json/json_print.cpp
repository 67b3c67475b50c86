#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {
namespace {

/// How a value is laid out.
enum class layout : bool { line, page };

/// The same text as `json::serialize` makes, faster.
class json_printer {
public:
  json_printer(json_writer& out, layout how) : out_(out), how_(how) {
    // nop
  }

  void print(const json::value& what) { // NOLINT(misc-no-recursion)
    switch (what.kind()) {
      case json::kind::array:
        return print(what.get_array());
      case json::kind::object:
        return print(what.get_object());
      case json::kind::string:
        return print_text(what.get_string());
      case json::kind::double_:
        return print_number(what.get_double());
      case json::kind::int64:
        out_.number(what.get_int64());
        return;
      case json::kind::uint64:
        out_.raw(std::to_string(what.get_uint64()));
        return;
      case json::kind::bool_:
        out_.raw(what.get_bool() ? std::string_view{"true"} : "false");
        return;
      case json::kind::null:
        out_.raw("null");
    }
  }

  void print(const json::object& what) { // NOLINT(misc-no-recursion)
    if (what.empty()) {
      out_.raw("{}");
      return;
    }
    std::string_view before{"{"};
    ++depth_;
    for (const auto& [name, member] : what) {
      out_.raw(std::exchange(before, ","));
      print_break();
      print_text(name);
      out_.raw(how_ == layout::line ? std::string_view{":"} : ": ");
      print(member);
    }
    --depth_;
    print_break();
    out_.raw("}");
  }

private:
  void print(const json::array& what) { // NOLINT(misc-no-recursion)
    if (what.empty()) {
      out_.raw("[]");
      return;
    }
    std::string_view before{"["};
    ++depth_;
    for (const auto& item : what) {
      out_.raw(std::exchange(before, ","));
      print_break();
      print(item);
    }
    --depth_;
    print_break();
    out_.raw("]");
  }

  /// The writer has no short escapes for two characters, and makes room for
  /// six times the text.
  void print_text(std::string_view text) {
    constexpr std::size_t short_max = 4096;
    if (text.size() <= short_max && text.find('\b') == text.npos
        && text.find('\f') == text.npos)
      out_.string(text);
    else
      out_.raw(json::serialize(json::string_view{text}));
  }

  /// Shortest text that reads back as the same double, and as a double.
  void print_number(double value) {
    if (!std::isfinite(value)) {
      out_.raw("null");
      return;
    }
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    const std::string_view shown{text, static_cast<std::size_t>(end - text)};
    out_.raw(shown);
    if (shown.find_first_of(".e") == std::string_view::npos)
      out_.raw(".0");
  }

  void print_break() {
    if (how_ == layout::line)
      return;
    out_.raw("\n");
    for (std::size_t i = 0; i < depth_; ++i)
      out_.raw("  ");
  }

  json_writer& out_;
  layout how_;
  std::size_t depth_ = 0;
};

std::string printed(const auto& what, layout how) {
  byte_buffer text;
  {
    json_writer out{text};
    json_printer{out, how}.print(what);
    if (how == layout::page)
      out.raw("\n");
  }
  return std::string{text.view()};
}

} // namespace

std::string pretty(const json::value& what) {
  return printed(what, layout::page);
}

std::string pretty_object(const json::object& what) {
  return printed(what, layout::page);
}

std::string one_line(const json::value& what) {
  return printed(what, layout::line);
}

} // namespace convene::protocol
