#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/boundary/slot_rule.hpp>
#include <convene/protocol/json_schema/validate_at.hpp>
#include <convene/protocol/text/text_rules.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace convene::protocol::boundary {
namespace {

using namespace validation;

template <cursor C>
bool meets_all(const std::vector<demand>& all, C value) {
  return std::ranges::all_of(all, [&](const demand& one) {
    auto r = start_run(*one.code, {}, nullptr);
    return check<false>(r, one.node, value);
  });
}

/// Every instruction for a value of this group, `$ref` and `allOf` followed,
/// until `visit` returns false. The type has to be one of `wanted`.
template <class Visit>
bool each_instruction(const demand& of, std::uint8_t wanted, group in,
                      const Visit& visit) {
  const auto& code = *of.code;
  const auto& node = code.nodes[of.node];
  if ((node.types & wanted) != wanted)
    return false;
  for (auto i = node.first[in]; i < node.first[in + 1U]; ++i) {
    const auto& what = code.code[i];
    if (what.code == op::reference) {
      if (!each_instruction({&code, what.a}, wanted, in, visit))
        return false;
    } else if (what.code == op::all_of) {
      for (auto at = what.a; at < what.b; ++at)
        if (!each_instruction({&code, code.lists[at]}, wanted, in, visit))
          return false;
    } else if (!visit(what)) {
      return false;
    }
  }
  return true;
}

void promise_nothing(slot_rule& rule) {
  rule = {.demands = std::move(rule.demands)};
}

void promise_texts(slot_rule& rule) {
  constexpr std::size_t bytes_per_character = 4;
  rule.bytes_min = 0;
  rule.bytes_max = std::numeric_limits<std::size_t>::max();
  const auto narrow = [&](const instruction& what) {
    if (what.code == op::min_length) {
      const auto bytes = what.a <= 1 ? std::size_t{what.a}
                                     : bytes_per_character * what.a;
      rule.bytes_min = std::max(rule.bytes_min, bytes);
      return true;
    }
    if (what.code == op::max_length)
      rule.bytes_max = std::min<std::size_t>(rule.bytes_max, what.a);
    return what.code == op::max_length;
  };
  for (const auto& one : rule.demands)
    if (!each_instruction(one, types::string, strings, narrow))
      return promise_nothing(rule);
}

void promise_numbers(slot_rule& rule) {
  rule.number_min = std::numeric_limits<std::int64_t>::min();
  rule.number_max = std::numeric_limits<std::int64_t>::max();
  for (const auto& one : rule.demands) {
    const auto narrow = [&](const instruction& what) {
      if (what.code != op::minimum && what.code != op::maximum)
        return false;
      const auto& bound = one.code->numbers[what.a];
      if (bound.is != number::form::signed_integer)
        return false;
      if (what.code == op::minimum)
        rule.number_min = std::max(rule.number_min, bound.i);
      else
        rule.number_max = std::min(rule.number_max, bound.i);
      return true;
    };
    if (!each_instruction(one, types::integer, numbers, narrow))
      return promise_nothing(rule);
  }
}

void promise_counts(slot_rule& rule) {
  rule.number_min = 0;
  rule.number_max = std::numeric_limits<std::int64_t>::max();
  const auto narrow = [&](const instruction& what) {
    if (what.code == op::min_items)
      rule.number_min = std::max<std::int64_t>(rule.number_min, what.a);
    else if (what.code == op::max_items)
      rule.number_max = std::min<std::int64_t>(rule.number_max, what.a);
    else
      return what.code == op::items; // which are slots of their own
    return true;
  };
  for (const auto& one : rule.demands)
    if (!each_instruction(one, types::array, arrays, narrow))
      return promise_nothing(rule);
}

/// The words of an enum, or the only one, that every other demand lets pass as
/// well.
void promise_words(slot_rule& rule) {
  for (const auto& one : rule.demands)
    static_cast<void>(
      each_instruction(one, types::string, strings, [&](const auto& what) {
        if (what.code == op::constant) {
          const auto& only = one.code->constants[what.a];
          if (only.is_string() && meets(rule.demands, only.get_string()))
            rule.words.emplace_back(only.get_string());
        } else if (what.code == op::enum_strings) {
          const auto& names = one.code->table_names;
          for (const auto& entry : names.entries(one.code->tables[what.a]))
            if (const auto word = names.text(entry); meets(rule.demands, word))
              rule.words.emplace_back(word);
        }
        return true;
      }));
}

/// Every digit in every place that a v4 UUID has.
bool admits_ids(const std::vector<demand>& demands) {
  for (std::string text : {"00000000-0000-4000-8000-000000000000",
                           "ffffffff-ffff-4fff-bfff-ffffffffffff",
                           "6ba7b810-9dad-41d1-80b4-00c04fd430c8"})
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char before = text[i];
      for (const char digit : hex_digits) {
        text[i] = digit;
        if (is_uuid_v4(text) && !meets(demands, text))
          return false;
      }
      text[i] = before;
    }
  return true;
}

/// Every day of a leap year, and with it every hour, minute, second and
/// thousandth; years from the first to the last.
bool admits_times(const std::vector<demand>& demands) {
  constexpr timestamp_ms day = 24LL * 3600 * 1000;
  constexpr timestamp_ms leap_year = 1704067200000; // 2024
  constexpr timestamp_ms odd = 3'661'001; // an hour, a minute, a second, 1 ms
  constexpr int days = 366, days_per_year = 365, years = 8030, a_few = 19;
  const auto admits = [&](timestamp_ms time) {
    const auto text = to_chars(time);
    return meets(demands, std::string_view{text.data(), text.size()});
  };
  for (int n = 0; n < days; ++n)
    if (!admits(leap_year + n * day + n * odd % day))
      return false;
  for (int n = 0; n < years; n += a_few)
    if (!admits(n * (days_per_year * day + odd)))
      return false;
  return admits(0) && admits(timestamp_max);
}

using id_text = std::array<char, 36>;

/// Where an id is kept that was found to be a v4 UUID: the same few stand in
/// event after event, those of a step twice with some of other steps in
/// between. A place that nothing was kept in has zeros.
id_text& place_of(std::string_view id) noexcept {
  static thread_local std::array<id_text, 64> places;
  return places[(static_cast<unsigned char>(id[id.size() - 1])
                 + 8U * static_cast<unsigned char>(id[id.size() - 2]))
                % places.size()];
}

bool is_kept_id(std::string_view text) noexcept {
  constexpr auto size = std::tuple_size_v<id_text>;
  return text.size() == size && text.front() != '\0'
         && std::memcmp(place_of(text).data(), text.data(), size) == 0;
}

bool is_id_to_keep(std::string_view text) noexcept {
  if (!is_uuid_v4(text))
    return false;
  auto& kept = place_of(text);
  std::memcpy(kept.data(), text.data(), kept.size());
  return true;
}

short_word short_word_of(std::string_view text) noexcept {
  const auto size = text.size();
  const auto load = [&](auto word, std::size_t at) -> std::uint64_t {
    std::memcpy(&word, text.data() + at, sizeof word);
    return word;
  };
  if (size >= 8 && size <= 16)
    return {load(std::uint64_t{}, 0), load(std::uint64_t{}, size - 8), size};
  if (size >= 4 && size < 8)
    return {load(std::uint32_t{}, 0), load(std::uint32_t{}, size - 4), size};
  return {};
}

} // namespace

bool meets(const std::vector<demand>& all, std::string_view text) {
  return meets_all(all, name_cursor{text});
}

bool meets(const std::vector<demand>& all, std::int64_t number) {
  const json::value value(number);
  return meets_all(all, boost_cursor{value});
}

bool slot_rule::admits_text(std::string_view text) const {
  const auto is_short_word = [&] {
    const auto word = short_word_of(text);
    return std::ranges::find(short_words, word) != short_words.end();
  };
  return (any_id ? is_kept_id(text) : is_short_word()) || admits_exactly(text);
}

bool slot_rule::admits_exactly(std::string_view text) const {
  return (any_id && is_id_to_keep(text))
         || std::ranges::find(words, text) != words.end()
         || meets(demands, text);
}

bool slot_rule::admits_text_of(const uuid& id) const {
  const auto text = to_chars(id);
  return meets(demands, std::string_view{text.data(), text.size()});
}

bool slot_rule::admits_text_of(timestamp_ms time) const {
  const auto text = to_chars(time);
  return meets(demands, std::string_view{text.data(), text.size()});
}

slot_rule make_rule(std::vector<demand> demands, slot_kind what) {
  slot_rule rule;
  rule.demands = std::move(demands);
  switch (what) {
    case slot_kind::text:
      promise_texts(rule);
      promise_words(rule);
      for (const auto& word : rule.words)
        if (const auto made = short_word_of(word); made.size != 0)
          rule.short_words.push_back(made);
      // What any text satisfies needs no trying out.
      rule.any_id = rule.bytes_min > rule.bytes_max && admits_ids(rule.demands);
      break;
    case slot_kind::id:
      rule.any_id = admits_ids(rule.demands);
      break;
    case slot_kind::time:
      rule.any_time = admits_times(rule.demands);
      break;
    case slot_kind::number:
      promise_numbers(rule);
      break;
    case slot_kind::count:
      promise_counts(rule);
      break;
    case slot_kind::free:
      break;
  }
  return rule;
}

} // namespace convene::protocol::boundary
