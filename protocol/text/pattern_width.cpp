#include <convene/protocol/text/pattern_width.hpp>

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

// After a byte, a search is only at places that take this byte: the places of
// the whole pattern, repetitions written out, are counted for each byte.

namespace convene::protocol::validation {
namespace {

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > endless - b ? endless : a + b;
}

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > endless / a ? endless : a * b;
}

/// Places by the ASCII character that they take; the last one is for all other
/// characters.
constexpr std::size_t other = 128;
using characters = std::bitset<other + 1>;

/// A character beyond ASCII has up to four bytes, and a place for each.
constexpr std::uint64_t bytes_of_character = 4;

struct part {
  std::array<std::uint64_t, other + 1> places{};
  std::uint64_t bytes = 0;  ///< that it takes at most
  bool is_anchored = false; ///< it begins where the text begins
};

/// A set of characters, and which one it is if it is one alone.
struct character_set {
  characters of;
  std::size_t only = other;
};

class width_reader {
public:
  width_reader(std::string_view pattern, bool ignores_case)
    : rest_{pattern}, ignores_case_{ignores_case} {}

  part run() {
    open_.emplace_back();
    while (!rest_.empty())
      step();
    while (open_.size() > 1)
      close();
    end_alternative();
    return open_.back().all;
  }

private:
  /// A group that is being read.
  struct group {
    part all;             ///< the alternatives before this one
    part here;            ///< this one, without its last element
    part last;            ///< to which a repetition would apply
    bool is_first = true; ///< of the alternatives
    bool is_empty = true; ///< nothing is in `here`
    bool has_last = false;
  };

  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  void step() {
    const char c = take();
    switch (c) {
      case '(':
        if (rest_.starts_with("?:"))
          rest_.remove_prefix(2);
        else if (rest_.starts_with("?P<"))
          rest_.remove_prefix(std::min(rest_.find('>'), rest_.size() - 1) + 1);
        open_.emplace_back();
        return;
      case ')':
        return close();
      case '|':
        return end_alternative();
      case '^':
        return add({.is_anchored = true});
      case '$':
        return add({});
      case '*':
        return repeat(0, endless);
      case '+':
        return repeat(1, endless);
      case '?': // or lazily
        return repeat(0, 1);
      case '{':
        return braces();
      case '[':
        return add_place(character_class());
      case '\\':
        return escape();
      default:
        return add_place(character(c).of);
    }
  }

  // -- groups, alternatives, repetitions

  static void add_places(part& to, const part& from) {
    for (std::size_t at = 0; at <= other; ++at)
      to.places[at] = sum(to.places[at], from.places[at]);
  }

  void add(part next) {
    flush();
    open_.back().last = std::move(next);
    open_.back().has_last = true;
  }

  void flush() {
    auto& now = open_.back();
    if (!std::exchange(now.has_last, false))
      return;
    add_places(now.here, now.last);
    now.here.bytes = sum(now.here.bytes, now.last.bytes);
    if (std::exchange(now.is_empty, false))
      now.here.is_anchored = now.last.is_anchored;
  }

  void end_alternative() {
    flush();
    auto& now = open_.back();
    const auto here = std::exchange(now.here, {});
    add_places(now.all, here);
    now.all.bytes = std::max(now.all.bytes, here.bytes);
    now.all.is_anchored = here.is_anchored
                          && (now.is_first || now.all.is_anchored);
    now.is_first = false;
    now.is_empty = true;
  }

  void close() {
    if (open_.size() < 2)
      return;
    end_alternative();
    auto made = open_.back().all;
    open_.pop_back();
    add(std::move(made));
  }

  void repeat(std::uint64_t least, std::uint64_t most) {
    auto& what = open_.back().last;
    const auto copies = std::max<std::uint64_t>(most == endless ? least : most,
                                                1);
    for (auto& each : what.places)
      each = product(each, copies);
    what.bytes = product(what.bytes, most);
    what.is_anchored = what.is_anchored && least > 0;
  }

  /// `{n}`, `{n,}`, `{n,m}`; otherwise the brace is itself.
  void braces() {
    const auto inside = rest_.substr(0,
                                     std::min(rest_.find('}'), rest_.size()));
    const auto comma = inside.find(',');
    const auto least = number(inside.substr(0, comma));
    auto most = least;
    if (comma != inside.npos)
      most = comma + 1 == inside.size() ? std::optional{endless}
                                        : number(inside.substr(comma + 1));
    if (!least || !most || inside.size() == rest_.size())
      return add_place(character('{').of);
    rest_.remove_prefix(inside.size() + 1);
    repeat(*least, *most);
  }

  static std::optional<std::uint64_t> number(std::string_view digits) {
    std::uint64_t value = 0;
    const auto* const end = digits.data() + digits.size();
    const auto [at, bad] = std::from_chars(digits.data(), end, value);
    if (digits.empty() || at != end || bad != std::errc{})
      return std::nullopt;
    return value;
  }

  // -- characters

  void add_place(characters what) {
    if (ignores_case_)
      for (std::size_t at = 'a'; at <= 'z'; ++at) {
        const auto capital = at - 'a' + 'A';
        const bool has = what[at] || what[capital];
        what[at] = has;
        what[capital] = has;
      }
    part made{.bytes = what[other] ? bytes_of_character : 1};
    for (std::size_t at = 0; at < other; ++at)
      made.places[at] = what[at] ? 1 : 0;
    made.places[other] = what[other] ? 2 : 0;
    add(std::move(made));
  }

  character_set character(char first) {
    auto code = static_cast<std::size_t>(static_cast<unsigned char>(first));
    if (code >= other) {
      code = other;
      while (!rest_.empty()
             && (static_cast<unsigned char>(rest_.front()) & 0xc0U) == 0x80U)
        rest_.remove_prefix(1);
    }
    return one(code);
  }

  static character_set one(std::size_t code) {
    character_set made{.only = std::min(code, other)};
    made.of.set(made.only);
    return made;
  }

  static characters digits() {
    characters made;
    for (std::size_t at = '0'; at <= '9'; ++at)
      made.set(at);
    return made;
  }

  static characters words() {
    auto made = digits().set('_');
    for (std::size_t at = 'a'; at <= 'z'; ++at)
      made.set(at).set(at - 'a' + 'A');
    return made;
  }

  void escape() {
    if (rest_.empty())
      return;
    const char c = rest_.front();
    if (c == 'b' || c == 'B') {
      take();
      return add({});
    }
    add_place(escaped().of);
  }

  /// What follows a backslash.
  character_set escaped() {
    const char c = take();
    switch (c) {
      case 'd':
        return {.of = digits()};
      case 'D':
        return {.of = ~digits()};
      case 'w':
        return {.of = words()};
      case 'W':
        return {.of = ~words()};
      case 'p':
      case 'P':
        braced();
        return {.of = characters{}.set()};
      case 'x': {
        const auto hex = braced();
        std::size_t code = other;
        std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
        return one(code);
      }
      case 'f':
        return one('\f');
      case 'n':
        return one('\n');
      case 'r':
        return one('\r');
      case 't':
        return one('\t');
      case 'v':
        return one('\v');
      default:
        return character(c);
    }
  }

  std::string_view braced() {
    const auto end = rest_.find('}');
    if (!rest_.starts_with('{') || end == rest_.npos)
      return {};
    const auto inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  character_set member() {
    const char c = take();
    return c == '\\' && !rest_.empty() ? escaped() : character(c);
  }

  characters character_class() {
    characters made;
    const bool inverted = rest_.starts_with('^');
    if (inverted)
      take();
    while (!rest_.empty() && rest_.front() != ']') {
      const auto begin = member();
      made |= begin.of;
      if (rest_.size() < 2 || rest_.front() != '-' || rest_[1] == ']')
        continue;
      take();
      const auto end = member();
      for (auto at = begin.only; at <= end.only && at < other; ++at)
        made.set(at);
      made |= end.of;
    }
    if (!rest_.empty())
      take();
    // Of others, hardly any class has all.
    return inverted ? (~made).set(other) : made;
  }

  std::string_view rest_;
  const bool ignores_case_;
  std::vector<group> open_;
};

} // namespace

std::uint64_t pattern_width::steps(std::uint64_t text_bytes) const {
  return product(places, std::min(bytes, text_bytes));
}

pattern_width width_of(std::string_view translated, bool ignores_case) {
  const auto made = width_reader{translated, ignores_case}.run();
  return {.places = *std::ranges::max_element(made.places),
          .bytes = made.is_anchored ? sum(made.bytes, 1) : endless};
}

} // namespace convene::protocol::validation
