#pragma once

#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/held_values.hpp>
#include <convene/protocol/documents/common.hpp>

#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace convene::protocol {

/// A visitor for descriptions that fills a struct with random valid values.
class filler {
public:
  explicit filler(std::uint32_t seed) : random_{seed % 2'000'000'000 + 1} {
    // nop
  }

  void member(std::string_view, auto& to, const constraint& rule = {}) {
    fill(to, rule);
  }
  void defaulted(std::string_view, auto& to, const constraint& rule = {}) {
    fill(to, rule);
  }
  void sparse(std::string_view, auto& to, const constraint& rule = {}) {
    fill(to, rule);
  }
  void open(std::string_view, json::object& to,
            std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional) {
    fill(to, {});
    for (auto name : required)
      to[name] = text({});
    for (auto name : optional)
      if (coin())
        to[name] = text({});
  }
  void ignored(std::string_view) {
    // nop
  }
  void constant(std::string_view, std::string_view) {
    // nop
  }
  void unsupported(std::string_view) {
    // nop
  }
  void others(json::object& to) {
    if (coin())
      to["x_other"] = json::array{text({}), 1, nullptr};
  }

  template <class T>
  void fill(T& to, const constraint& rule) {
    if constexpr (is_optional<T>) {
      if (coin())
        fill(to.emplace(), rule);
    } else if constexpr (is_vector<T>) {
      const auto count = rule.items_min + random_() % 3;
      to.clear();
      while (to.size() < count) {
        fill(to.emplace_back(), rule);
        if (rule.unique && to.size() == 2 && to[0] == to[1])
          to.pop_back();
        if (rule.unique && to.size() == 2)
          break;
      }
    } else if constexpr (is_map<T>) {
      if (coin())
        fill(to[text({})], rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      to = text(rule);
    } else if constexpr (std::is_same_v<T, bool>) {
      to = coin();
    } else if constexpr (std::is_same_v<T, double>) {
      to = coin() ? 1.0 : 0.1;
    } else if constexpr (std::is_same_v<T, json_number>) {
      to.held = coin() ? json::value(1) : json::value(0.5);
    } else if constexpr (std::is_same_v<T, any_value>) {
      to.held = json::array{text({}), nullptr};
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      to = coin() ? rule.minimum : coin() ? rule.maximum : 1;
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      to = coin() ? std::numeric_limits<T>::max() : random_();
    } else if constexpr (std::is_same_v<T, json::object>) {
      to = {{text({}), random_() % 1000},
            {"inside", {text({}), nullptr, true, 0.5, json::object{}}}};
    } else if constexpr (std::is_same_v<T, json::value>) {
      if (coin())
        to = json::object{{"data", text({})}};
    } else if constexpr (std::is_enum_v<T>) {
      to = static_cast<T>(random_() % words_of<T>.size());
    } else if constexpr (is_variant<T>) {
      fill_variant(*this, to, random_());
    } else {
      describe(*this, to);
    }
  }

private:
  bool coin() {
    return random_() % 2 == 0;
  }

  std::string text(const constraint& rule) {
    static constexpr std::string_view samples[]{
      "",
      "plain",
      "\xc3\xa9 \xf0\x9f\x98\x80 \"quoted\" \\ \n",
      "0f9b7c5e-1a2b-4c3d-8e4f-5a6b7c8d9e0f",
      "ffffffff-ffff-4fff-bfff-ffffffffffff",
      "2026-01-31T12:00:00.000Z",
      "1999-12-31t23:59:60z",
      "1.0.0",
      "20.300.4000",
      "1.2.3-beta.1+build.05",
      "someone@example.org",
      "https://example.org/runs/7?all=1",
      "plan.created",
      "a1.b2.c3",
      "security",
      "state-sync"};
    // Apart from the others, which are drawn as if it were not there.
    constexpr std::string_view traceparent
      = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    if (rule.holds && !rule.holds("plain") && rule.holds(traceparent))
      return std::string{traceparent};
    while (true) {
      const auto sample = samples[random_() % std::size(samples)];
      if (!rule.holds || rule.holds(sample))
        return std::string{sample};
    }
  }

  std::minstd_rand random_;
};

} // namespace convene::protocol
