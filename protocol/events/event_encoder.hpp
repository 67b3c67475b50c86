#pragma once

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/events/member_kind.hpp>
#include <convene/protocol/events/member_name.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace convene::protocol {

/// Writes what a description shows (describe_map_events.hpp). Names and
/// constants are literals with their comma; the comma before an object's first
/// member becomes its brace.
class event_encoder {
public:
  explicit event_encoder(json_writer& out) : out_(out) {
    // nop
  }

  template <class F>
  void members(const F& list) {
    const auto begin = out_.position();
    list(*this);
    if (out_.position() == begin)
      out_.raw("{");
    else
      out_.replace(begin, '{');
    out_.raw("}");
  }

  void type(auto m, std::string_view value) {
    out_.string(named(m), value);
  }
  void text(auto m, std::string_view value, member_kind = {}) {
    out_.string(named(m), value);
  }
  void optional(auto m, std::string_view value, member_kind = {}) {
    if (!value.empty())
      out_.string(named(m), value);
  }
  void id(auto m, const uuid& value, member_kind = {}) {
    out_.id(named(m), value);
  }
  void optional_id(auto m, const uuid& value) {
    if (!value.is_nil())
      out_.id(named(m), value);
  }
  void key(auto m, const uuid& value) {
    name(m).raw("\"");
    for (const char c : to_chars(value))
      if (c != '-')
        out_.raw(std::string_view{&c, 1});
    out_.raw("\"");
  }
  void time(auto m, timestamp_ms value) {
    out_.time(named(m), value);
  }
  void optional_time(auto m, timestamp_ms value) {
    if (value != 0)
      out_.time(named(m), value);
  }
  void number(auto m, std::int64_t value, member_kind = {}) {
    out_.number(named(m), value);
  }
  void number_if(bool there, auto m, std::int64_t value) {
    if (there)
      out_.number(named(m), value);
  }
  /// Money, given in millionths of a US dollar.
  void dollars(auto m, std::int64_t microusd) {
    write_dollars(name(m), microusd);
  }
  void dollars_if(bool there, auto m, std::int64_t microusd) {
    if (there)
      dollars(m, microusd);
  }
  void numbers(auto m, std::span<const std::uint64_t> all) {
    if (!all.empty())
      array(name(m), all, [this](std::uint64_t one) {
        out_.number(static_cast<std::int64_t>(one));
      });
  }

  template <fixed_text Name, fixed_text Value>
  void constant(member_name<Name>, member_name<Value>, member_kind = {}) {
    out_.raw(joined<",\"", Name, "\":\"", Value, "\"">.text);
  }
  void constant_if(bool there, auto m, auto value) {
    if (there)
      constant(m, value);
  }
  /// A constant that is no text.
  template <fixed_text Name, fixed_text Value>
  void fixed(member_name<Name>, member_name<Value>, member_kind) {
    out_.raw(joined<",\"", Name, "\":", Value>.text);
  }
  void flag(auto m, bool value) {
    if (value)
      name(m).raw("true");
  }
  void optional_flag(auto m, std::optional<bool> value) {
    if (value)
      name(m).raw(*value ? "true" : "false");
  }

  void strings(auto m, std::span<const std::string> all) {
    if (!all.empty())
      array(name(m), all, [this](const std::string& one) { out_.string(one); });
  }
  void single(auto m, std::string_view item) {
    name(m).string("[", item).raw("]");
  }
  template <class T>
  void items(auto m, std::span<const T> from, std::string_view T::*text) {
    array(name(m), from, [&](const T& one) { out_.string(one.*text); });
  }
  template <class T>
  void
  items_if_any(auto m, std::span<const T> from, std::string_view T::*text) {
    if (!from.empty())
      items(m, from, text);
  }

  template <class F>
  void object(auto m, const F& list) {
    name(m);
    members(list);
  }
  template <std::size_t, class F>
  void object_if(bool there, auto m, const F& list) {
    if (there)
      object(m, list);
  }
  template <std::size_t, std::size_t = 0, class T, class F>
  void list(auto m, std::span<const T> from, const F& each) {
    array(name(m), from,
          [&](const T& one) { members([&](auto& v) { each(v, one); }); });
  }
  template <std::size_t N, class T, class F>
  void list_if(bool there, auto m, std::span<const T> from, const F& each) {
    if (there)
      list<N>(m, from, each);
  }

  void json_text(auto m, std::string_view text, member_kind) {
    name(m).raw(text);
  }
  void value(auto m, const json::value* value) {
    if (value != nullptr)
      write_value(name(m), *value);
  }
  void write(auto m, const resource_write& what) {
    write_write(name(m), what);
  }
  void claim(auto m, const protocol::claim& what) {
    write_claim(name(m), what);
  }
  void reply(auto m, const protocol::reply* what) {
    if (what != nullptr)
      write_reply(name(m), *what);
  }
  void result(auto m, std::string_view status, const protocol::reply* of) {
    static const json::object nothing;
    write_result(name(m), status, of != nullptr ? of->result : nothing);
  }

private:
  template <fixed_text Name>
  static constexpr auto& named(member_name<Name>) {
    return joined<",\"", Name, "\":">.text;
  }
  json_writer& name(auto m) {
    return out_.raw(named(m));
  }

  template <class T, class F>
  void array(json_writer& out, std::span<const T> from, const F& write) {
    out.raw("[");
    bool first = true;
    for (const auto& one : from) {
      if (!first)
        out.raw(",");
      first = false;
      write(one);
    }
    out.raw("]");
  }

  json_writer& out_;
};

/// Appends the event's line. All in one piece, so that the writer's place in
/// the buffer stays in a register.
template <class Event>
[[gnu::flatten]] void
write_event(byte_buffer& to, const event_head& head, const Event& event) {
  json_writer out{to};
  event_encoder{out}.members([&](auto& v) { describe(v, head, event); });
  out.raw("\n");
}

} // namespace convene::protocol
