#pragma once

#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/json/json_printer.hpp>

#include <string>
#include <string_view>
#include <type_traits>

namespace convene::protocol {

template <class T>
void print(json_printer& out, const T& from);

/// The visitor that prints a struct's members, in the description's order, as
/// `pretty` prints the tree that object_writer makes. See description.hpp;
/// it has only `member`, which is all that documents of sessions need.
class page_writer {
public:
  explicit page_writer(json_printer& out) : out_(out) {
    // nop
  }

  template <class T>
  void member(std::string_view name, const T& from, const constraint& = {}) {
    if constexpr (is_optional<T>) {
      if (from)
        member(name, *from);
    } else {
      out_.name(name);
      print(out_, from);
    }
  }

private:
  json_printer& out_;
};

/// Prints any type that a description may hold, but no map and no variant.
template <class T>
void print(json_printer& out, const T& from) {
  if constexpr (is_vector<T>) {
    out.open_array();
    for (const auto& each : from) {
      out.item();
      print(out, each);
    }
    out.close_array();
  } else if constexpr (std::is_enum_v<T>) {
    out.print(std::string_view{to_word(from)});
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out.print(std::string_view{from});
  } else if constexpr (
    std::is_arithmetic_v<
      T> || std::is_same_v<T, json::object> || std::is_same_v<T, json::value>) {
    out.print(from);
  } else {
    out.open_object();
    page_writer members{out};
    describe(members, from);
    out.close_object();
  }
}

/// The text that `pretty(encode(from))` is, in pieces. The type has to be
/// described where this is called.
template <class T>
void print_page(const T& from, const text_sink& to) {
  byte_buffer text;
  {
    json_printer out{text, layout::page, &to};
    print(out, from);
  }
  text.append("\n");
  to(text.view());
}

} // namespace convene::protocol
