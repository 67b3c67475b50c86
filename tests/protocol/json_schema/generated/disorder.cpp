#include <protocol/json_schema/generated/disorder.hpp>
#include <protocol/json_schema/generated/samples.hpp>

#include <algorithm>
#include <limits>
#include <vector>

namespace convene::tests {
namespace {

/// All values of a document, itself first. The pointers hold until it changes.
std::vector<json::value*> values_of(json::value& document) {
  std::vector<json::value*> out{&document};
  for (std::size_t i = 0; i < out.size(); ++i)
    if (auto* items = out[i]->if_array())
      for (auto& item : *items)
        out.push_back(&item);
    else if (auto* members = out[i]->if_object())
      for (auto& member : *members)
        out.push_back(&member.value());
  return out;
}

void change_text(json::string& text, dice& d) {
  static const std::vector<std::string> texts{
    "",
    "0",
    "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1",
    "2F1F2A67-5D3C-4F0E-9A8E-52A0A6F0C9D1",
    "2026-11-21T10:15:30Z",
    "2026-11-21T10:15:30+24:00",
    "2016-12-31T23:59:60Z",
    "1.0.0",
    "a.b",
    "a@b",
    "x:y",
    "MAPTurnDispatched",
    "\u00e4"};
  std::string out{text};
  switch (d.below(4)) {
    case 0:
      out = d.one_of(texts);
      break;
    case 1:
      out.insert(out.size() * d.below(3) / 2, any_text(1, d));
      break;
    case 2: // An ASCII letter: what is left has to be UTF-8.
      if (const auto at = d.below(out.size() + 1);
          at < out.size() && static_cast<unsigned char>(out[at]) < 0x80)
        out[at] = "aZ0-.:T@ "[d.below(9)];
      break;
    default:
      out += out.size() < 200 ? out : "";
  }
  text = out;
}

json::value extreme_number(dice& d) {
  using limits = std::numeric_limits<std::int64_t>;
  static const std::vector<json::value> numbers{
    -1,
    -1.0,
    -0.0,
    1e15,
    0.1,
    100,
    101,
    1.0000000000000002,
    limits::max(),
    limits::min(),
    std::numeric_limits<std::uint64_t>::max(),
    std::numeric_limits<double>::max(),
    std::numeric_limits<double>::denorm_min()};
  return d.one_of(numbers);
}

void change_members(json::object& members, dice& d) {
  if (members.empty()) {
    members["added"] = any_value(1, d);
    return;
  }
  auto* const at = members.begin() + d.below(members.size());
  const std::string name{at->key()};
  switch (d.below(4)) {
    case 0:
      members.erase(name);
      break;
    case 1:
      members[any_text(1 + d.below(3), d)] = any_value(1, d);
      break;
    case 2: {
      auto value = at->value();
      members.erase(name);
      members[name + any_text(1, d)] = std::move(value);
      break;
    }
    default:
      members[name] = any_value(2, d);
  }
}

void change_items(json::array& items, dice& d) {
  if (items.empty() || d.chance(25)) {
    items.push_back(any_value(1, d));
    return;
  }
  const auto at = d.below(items.size());
  if (d.chance(50))
    items.insert(items.begin() + at, json::value(items[at]));
  else
    items.erase(items.begin() + at);
}

void change(json::value& value, dice& d) {
  if (d.chance(20))
    value = any_value(2, d);
  else if (auto* text = value.if_string())
    change_text(*text, d);
  else if (auto* members = value.if_object())
    change_members(*members, d);
  else if (auto* items = value.if_array())
    change_items(*items, d);
  else if (value.is_number())
    value = extreme_number(d);
  else
    value = d.chance(50) ? json::value(d.chance(50)) : json::value(nullptr);
}

} // namespace

json::value disordered(json::value document, dice& d) {
  for (auto count = 1 + d.below(4); count > 0; --count) {
    const auto all = values_of(document);
    if (all.size() > 2 && d.chance(15)) {
      auto copy = *d.one_of(all);
      *d.one_of(all) = std::move(copy);
    } else {
      change(*d.one_of(all), d);
    }
  }
  return document;
}

std::string garbled(std::string text, dice& d) {
  static const std::vector<std::string> tokens{"{",
                                               "}",
                                               "[",
                                               "]",
                                               ":",
                                               ",",
                                               "\"",
                                               "\\",
                                               "null",
                                               "true",
                                               "0",
                                               "-",
                                               "1e9",
                                               ".5",
                                               "\x00",
                                               "\n",
                                               "\xff",
                                               "\xc3",
                                               "\xed\xa0\x80",
                                               "\\u",
                                               "\\ud800",
                                               "\\u0041",
                                               "1e999",
                                               "01",
                                               "//",
                                               " ",
                                               "\t",
                                               "\xef\xbb\xbf"};
  for (auto count = 1 + d.below(3); count > 0; --count) {
    const auto at = d.below(text.size() + 1);
    switch (d.below(5)) {
      case 0:
        if (at < text.size())
          text[at] = static_cast<char>(d.below(256));
        break;
      case 1:
        text.erase(at, 1 + d.below(4));
        break;
      case 2:
        text.insert(at, d.one_of(tokens));
        break;
      case 3:
        text.insert(at, text.substr(at, 1 + d.below(40)));
        break;
      default:
        if (d.chance(10))
          text.resize(at);
        else if (at < text.size())
          text[at] = d.one_of(tokens).front();
    }
  }
  return text;
}

} // namespace convene::tests
