#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <protocol/json_schema/generated/samples.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace convene::tests {
namespace {

struct samples {
  std::string_view of;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

const std::vector<samples> formats{
  {"date-time",
   {"2026-11-21T10:15:30Z", "2026-11-21T10:15:30.123Z",
    "2024-02-29T23:59:59.000001+08:00", "1998-12-31T23:59:60Z",
    "2026-11-21t10:15:30z", "0001-01-01T00:00:00-23:59"},
   {"2026-11-21", "2026-11-21T24:00:00Z", "2026-02-29T00:00:00Z",
    "2026-11-21T10:15Z", "2026-13-01T00:00:00Z", "10:15:30Z", "",
    "2026-11-21T10:60:30Z", "2026-11-21T10:15:30Z ", "yesterday"}},
  {"uuid",
   {"2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1",
    "00000000-0000-0000-0000-000000000000",
    "2F1F2A67-5D3C-1F0E-9A8E-52A0A6F0C9D1"},
   {"2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d", "no uuid", "",
    "2f1f2a675d3c4f0e9a8e52a0a6f0c9d1", "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9dg",
    "{2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1}"}},
  {"email",
   {"a@example.org", "first.last+tag@mail.example.org", "x_y-z@a-b.de"},
   {"a", "@example.org", "a@", "a..b@example.org", ".a@example.org", "a b@c.de",
    ""}},
  {"uri",
   {"https://example.org/a/b?c=d#e", "urn:example:a", "file:///tmp/x",
    "http://[::1]:8080/", "mailto:a@example.org"},
   {"a/b", "//example.org", "http://a b", "http://a/%zz", "", "1a:b", "<a:b>"}},
};

const std::vector<samples> patterns{
  {"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
   {"2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1",
    "00000000-0000-4000-8000-000000000000"},
   {"2F1F2A67-5D3C-4F0E-9A8E-52A0A6F0C9D1",
    "2f1f2a67-5d3c-1f0e-9a8e-52a0a6f0c9d1",
    "2f1f2a67-5d3c-4f0e-7a8e-52a0a6f0c9d1", "", "ctx-1",
    "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1\n"}},
  {R"(^[0-9]+\.[0-9]+\.[0-9]+$)",
   {"1.0.0", "0.0.0", "01.2.333"},
   {"1.0", "1.0.0-rc", "v1.0.0", "1.0.0.0", "", "1..0"}},
  {R"(^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*))"
   R"((?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))"
   R"((?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?)"
   R"((?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$)",
   {"1.0.0", "1.2.3-rc.1", "1.2.3+build.5", "0.0.1-0a.b-c+d"},
   {"01.0.0", "1.0", "1.0.0-", "1.0.0-01", "1.0.0+", "", "1.0.0-a..b"}},
  {R"(^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)*$)",
   {"a", "map.turn.dispatched", "a1.b2"},
   {"plan.status_changed", "MAPTurnDispatched", "a.", ".a", "a..b", "1a", ""}},
  {R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$)",
   {"2026-11-21T10:15:30.123Z", "1970-01-01T00:00:00.000Z"},
   {"2026-11-21T10:15:30Z", "2026-11-21T10:15:30.123+00:00", ""}},
  {"^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$",
   {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more"},
   {"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more", ""}},
  {"^[a-z][a-z0-9_-]*$",
   {"a", "conformance-noop", "a1_b-2"},
   {"A", "1a", "-a", "a b", "a.b", "a\n", ""}},
  {"^[0-9a-f]{32}$",
   {"0123456789abcdef0123456789abcdef"},
   {"0123456789ABCDEF0123456789ABCDEF", "0123456789abcdef", ""}},
  {"^[0-9a-f]{64}$",
   {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
   {"0123456789abcdef0123456789abcdef", ""}},
};

std::string pick(const std::vector<samples>& from, std::string_view what,
                 bool good, dice& d) {
  const auto at = std::ranges::find(from, what, &samples::of);
  if (at == from.end())
    throw std::invalid_argument("no samples of " + std::string{what});
  return d.one_of(good ? at->good : at->bad);
}

} // namespace

std::string text_of_format(std::string_view format, bool good, dice& d) {
  return pick(formats, format, good, d);
}

std::string text_of_pattern(std::string_view pattern, bool good, dice& d) {
  return pick(patterns, pattern, good, d);
}

std::string any_text(std::size_t length, dice& d) {
  static const std::vector<std::string> characters{
    "a",      "b",      "Z",          "0",    "9", " ",
    "-",      "_",      ".",          "/",    "~", "\"",
    "\\",     "\n",     "\t",         "\x01", "{", std::string{'\0'},
    "\u00e4", "\u20ac", "\U0001f600", "1",    "e", "%"};
  std::string out;
  for (std::size_t i = 0; i < length; ++i)
    out += d.one_of(characters);
  return out;
}

json::value any_value(std::size_t depth, dice& d) {
  static const std::vector<json::value> numbers{
    0, 1, -1, 7, 1.0, 0.5, -0.0, 1e300, 9007199254740991, 1e-7, 100000000000.0};
  switch (d.below(depth == 0 ? 4 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return d.chance(50);
    case 2:
      return d.one_of(numbers);
    case 3:
      return json::value(any_text(d.below(8), d));
    case 4: {
      json::array items;
      for (auto count = d.below(4); count > 0; --count)
        items.push_back(any_value(depth - 1, d));
      return items;
    }
    default: {
      json::object members;
      for (auto count = d.below(4); count > 0; --count)
        members[any_text(d.below(5), d)] = any_value(depth - 1, d);
      return members;
    }
  }
}

} // namespace convene::tests
