#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace convene::protocol {

namespace json = boost::json;

/// How a JSON text is laid out: without spaces, or indented by two of them.
enum class layout : bool { line, page };

/// Takes a text in pieces, which are gone when it returns.
using text_sink = std::function<void(std::string_view)>;

/// Writes JSON text part by part, or a whole value, as `one_line` and `pretty`
/// do. The caller closes what it opens, and names each member of an object.
class json_printer {
public:
  /// Hands what has been written to `full`, which may be null, whenever it is
  /// much; otherwise, and at the end, it is in `out`.
  json_printer(byte_buffer& out, layout how, const text_sink* full = nullptr)
    : buffer_(out), how_(how), full_(full), out_(std::in_place, out) {
    // nop
  }

  void open_object() {
    open("{");
  }
  void close_object() {
    close("}");
  }
  void open_array() {
    open("[");
  }
  void close_array() {
    close("]");
  }

  /// Before each item of an array.
  void item();
  /// Before each member's value; the name needs no escapes.
  void name(std::string_view name) {
    item();
    out_->raw("\"").raw(name);
    if (how_ == layout::page)
      out_->raw("\": ");
    else
      out_->raw("\":");
  }

  void print(std::string_view text);
  void print(const char*) = delete;
  void print(std::int64_t value) {
    out_->number(value);
  }
  void print(std::uint64_t value);
  /// Shortest text that reads back as the same double, and as a double.
  void print(double value);
  void print(bool value);
  void print(const json::value& what);
  void print(const json::object& what);

private:
  void open(std::string_view bracket);
  void close(std::string_view bracket);
  void print(const json::array& what);
  void break_line(bool comma);
  void hand_over();

  byte_buffer& buffer_;
  layout how_;
  const text_sink* full_;
  std::optional<json_writer> out_;
  std::size_t depth_ = 0;
  bool is_empty_ = true; ///< what was opened last
};

} // namespace convene::protocol
