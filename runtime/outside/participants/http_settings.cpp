#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/approve_setting.hpp>
#include <convene/runtime/outside/participants/describe_limits.hpp>
#include <convene/runtime/outside/participants/http_settings.hpp>
#include <convene/runtime/outside/participants/reserved_headers.hpp>

namespace convene::host {

void describe(auto& v, protocol::of<http_settings> auto& x) {
  v.ignored("type");
  v.member("url", x.url, protocol::not_empty);
  v.defaulted("headers", x.headers);
  v.defaulted("secret_env", x.secret_env, protocol::not_empty);
  describe_calls(v, x);
  v.ignored("approve");
}

protocol::result<http_settings>
read_http_settings(const protocol::json::value& from,
                   std::string_view pointer) {
  protocol::reading r;
  http_settings to;
  const protocol::place at{.name = pointer};
  if (!protocol::read(r, from, at, protocol::anything, to))
    return protocol::fail(*std::move(r.fault));
  const auto origin = origin_of(to.url);
  if (!origin)
    r.refuse(protocol::place{&at, "url", {}}, origin.error().rule,
             origin.error().message);
  for (const auto& [name, value] : to.headers)
    if (is_reserved_header(name) && !r.fault) {
      const protocol::place headers{&at, "headers", {}};
      r.refuse(protocol::place{&headers, name, {}}, "header",
               "this header is set by convene; leave it out");
    }
  read_approve(r, from, at, pattern_of(origin ? to_string(*origin) : to.url),
               to.approve);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return to;
}

} // namespace convene::host
