#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/http/http_message.hpp>
#include <convene/runtime/outside/participants/header_settings.hpp>
#include <convene/runtime/outside/participants/reserved_headers.hpp>

namespace convene::host {

void describe(auto& v, protocol::of<header_setting> auto& x) {
  v.member("env", x.variable, protocol::not_empty);
  v.defaulted("prefix", x.text);
}

namespace {

/// "Bearer ${env:NAME}": the variable is at the end, as in `mcp_servers`.
void split_variable(header_setting& what) {
  constexpr std::string_view opening = "${env:";
  const auto at = what.text.rfind(opening);
  if (at == what.text.npos || !what.text.ends_with('}'))
    return;
  const auto begin = at + opening.size();
  if (begin + 1 == what.text.size())
    return;
  what.variable = what.text.substr(begin, what.text.size() - begin - 1);
  what.text.resize(at);
}

} // namespace

bool read_headers(protocol::reading& r, const protocol::json::value& from,
                  const protocol::place& at, header_settings& to) {
  protocol::json::object object;
  if (!protocol::read_object(r, from, at, object))
    return false;
  for (const auto& [name, value] : object) {
    const protocol::place here{&at, name, {}};
    auto& made = to[std::string{name}];
    const bool is_read
      = value.is_object()
          ? protocol::read(r, value, here, protocol::anything, made)
          : protocol::read(r, value, here, protocol::anything, made.text);
    if (!is_read)
      return false;
    if (!value.is_object())
      split_variable(made);
    if (is_reserved_header(name))
      return r.refuse(here, "header",
                      "this header is set by convene; leave it out");
    if (!is_field_name(name) || !is_field_value(made.text))
      return r.refuse(here, "header",
                      "a header's name has letters, digits and -, and its "
                      "value no control characters");
  }
  return true;
}

} // namespace convene::host
