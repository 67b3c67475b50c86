#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// How a JSON text is laid out: without spaces, or indented by two of them.
enum class layout : bool { line, page };

/// Writes JSON text part by part, or a whole value, as `one_line` and `pretty`
/// do. The caller closes what it opens, and names each member of an object.
class json_printer {
public:
  json_printer(json_writer& out, layout how) : out_(out), how_(how) {
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
    out_.raw("\"").raw(name).raw(how_ == layout::line ? std::string_view{"\":"}
                                                      : "\": ");
  }

  void print(std::string_view text);
  void print(const char*) = delete;
  void print(std::int64_t value) {
    out_.number(value);
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
  void print_break();

  json_writer& out_;
  layout how_;
  std::size_t depth_ = 0;
  bool is_empty_ = true; ///< what was opened last
};

} // namespace convene::protocol
