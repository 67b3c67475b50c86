#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>

// What descriptions are made of: `describe(visitor, struct)` names the struct's
// members once, for decoders and encoders. Calls of a visitor:
//   member       required, unless it is an optional
//   defaulted    if absent, keeps the value it has; always written
//   sparse       likewise, but written only if it is not the type's default
//   open         an object that may contain anything besides some texts
//   ignored      a name that is accepted and dropped
//   constant     required, always this text
//   unsupported  refused by name, unless it is empty
//   others       comes last: members of any other name are kept there
//                verbatim; without it they are refused

namespace convene::protocol {

/// `T`, const or not: encoders see the const one.
template <class X, class T>
concept of = std::same_as<std::remove_const_t<X>, T>;

/// A name in snake_case as camelCase.
template <std::size_t N>
struct camel_text {
  char text[N]{};
  std::size_t size = 0;

  consteval camel_text(const char (&from)[N]) {
    for (std::size_t i = 0; i + 1 < N; ++i)
      if (from[i] != '_')
        text[size++] = i > 0 && from[i - 1] == '_'
                         ? static_cast<char>(from[i] - 'a' + 'A')
                         : from[i];
  }
  [[nodiscard]] constexpr std::string_view view() const noexcept {
    return {text, size};
  }
};

template <camel_text Name>
inline constexpr auto camel_name = Name;

} // namespace convene::protocol

/// `describe` for a struct `x`: the visitor's calls, each MEMBER(name, rule),
/// SPARSE(name, rule), DEFAULTED(name, rule), a call of `v` itself, or OTHERS
/// at the end. The CAMEL ones are for JSON in camelCase: `run_id` is "runId".
#define CONVENE_DESCRIBE(type, ...)                                            \
  void describe(auto& v, ::convene::protocol::of<type> auto& x) {              \
    __VA_ARGS__;                                                               \
  }
#define MEMBER(name, ...) v.member(#name, x.name __VA_OPT__(, ) __VA_ARGS__)
#define SPARSE(name, ...) v.sparse(#name, x.name __VA_OPT__(, ) __VA_ARGS__)
#define DEFAULTED(name, ...)                                                   \
  v.defaulted(#name, x.name __VA_OPT__(, ) __VA_ARGS__)
#define OTHERS v.others(x.others)
#define IN_CAMEL(name) ::convene::protocol::camel_name<#name>.view()
#define CAMEL(name, ...)                                                       \
  v.member(IN_CAMEL(name), x.name __VA_OPT__(, ) __VA_ARGS__)
#define SPARSE_CAMEL(name, ...)                                                \
  v.sparse(IN_CAMEL(name), x.name __VA_OPT__(, ) __VA_ARGS__)
#define DEFAULTED_CAMEL(name, ...)                                             \
  v.defaulted(IN_CAMEL(name), x.name __VA_OPT__(, ) __VA_ARGS__)
