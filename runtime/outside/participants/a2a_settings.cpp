#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/a2a_settings.hpp>
#include <convene/runtime/outside/participants/describe_limits.hpp>

namespace convene::protocol {

inline constexpr std::string_view a2a_context_words[] = {"session", "turn"};
template <>
inline constexpr std::span<const std::string_view> words_of<host::a2a_context>{
  a2a_context_words};

} // namespace convene::protocol

namespace convene::host {

void describe(auto& v, protocol::of<a2a_settings> auto& x) {
  v.ignored("type");
  v.member("card", x.card, protocol::not_empty);
  v.defaulted("api_key_env", x.api_key_env, protocol::not_empty);
  v.defaulted("context", x.context);
  describe_calls(v, x);
}

protocol::result<a2a_settings>
read_a2a_settings(const protocol::json::value& from, std::string_view pointer) {
  protocol::reading r;
  a2a_settings to;
  const protocol::place at{.name = pointer};
  if (!protocol::read(r, from, at, protocol::anything, to))
    return protocol::fail(*std::move(r.fault));
  if (const auto origin = origin_of(to.card); !origin) {
    r.refuse(protocol::place{&at, "card", {}}, origin.error().rule,
             origin.error().message);
    return protocol::fail(*std::move(r.fault));
  }
  return to;
}

} // namespace convene::host
