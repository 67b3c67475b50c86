// From `NAME=EXPR` to what can be evaluated: a parser by recursive descent.

#include <convene/lab/simulation/measure_expression.hpp>
#include <convene/lab/simulation/seed_measures.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

using kind = measure_expression::kind;

struct known_function {
  std::string_view name;
  kind what;
  std::size_t texts_min;
  std::size_t texts_max; ///< 0: its argument is an expression
};

constexpr std::array<known_function, 5> functions{{
  {"floor", kind::rounded_down, 0, 0},
  {"events", kind::events, 1, 1},
  {"value", kind::value, 2, 3},
  {"version", kind::version, 2, 2},
  {"versions", kind::versions, 1, 1},
}};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class measure_parser {
public:
  measure_parser(std::string_view whole, std::size_t from)
    : text_(whole), at_(from) {}

  result<measure_expression> parse() {
    auto made = sum(0);
    if (!fault_ && peek() != '\0')
      refuse("write +, -, * or / between two parts");
    if (fault_)
      return fail(*std::move(fault_));
    return made;
  }

private:
  void refuse(std::string why) {
    if (!fault_)
      fault_ = error{.code = errc::usage,
                     .message = "--measure " + shorten(text_) + ": at column "
                                + std::to_string(at_ + 1) + ": "
                                + std::move(why),
                     .rule = "measure"};
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ')
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char wanted) {
    if (peek() != wanted || fault_)
      return false;
    ++at_;
    return true;
  }

  static measure_expression join(kind how, measure_expression a,
                                 measure_expression b) {
    measure_expression made{.what = how};
    made.parts.push_back(std::move(a));
    made.parts.push_back(std::move(b));
    return made;
  }

  measure_expression sum(std::size_t depth) {
    return chain('+', kind::sum, '-', kind::difference,
                 [&] { return product(depth); });
  }

  measure_expression product(std::size_t depth) {
    return chain('*', kind::product, '/', kind::quotient,
                 [&] { return part(depth); });
  }

  /// Parts with one of two signs between them, from the left.
  template <class Part>
  measure_expression
  chain(char sign, kind how, char other_sign, kind other_how, Part next) {
    auto made = next();
    while (!fault_) {
      if (take(sign))
        made = join(how, std::move(made), next());
      else if (take(other_sign))
        made = join(other_how, std::move(made), next());
      else
        break;
    }
    return made;
  }

  measure_expression part(std::size_t depth) {
    if (depth >= measure_depth_max) {
      refuse("there are over " + std::to_string(measure_depth_max)
             + " parts within each other");
      return {};
    }
    if (take('(')) {
      auto made = sum(depth + 1);
      close();
      return made;
    }
    if (take('-')) {
      measure_expression made{.what = kind::negated};
      made.parts.push_back(part(depth + 1));
      return made;
    }
    const char next = peek();
    if (is_digit(next))
      return number();
    if (is_letter(next))
      return named(depth);
    refuse("write a number, a member of result.json, events(TYPE), "
           "value(TYPE, ID, POINTER), version(TYPE, ID), versions(TYPE) or "
           "floor(...) here");
    return {};
  }

  measure_expression number() {
    measure_expression made;
    const auto* const end = text_.data() + text_.size();
    const auto [at, failed] = std::from_chars(text_.data() + at_, end,
                                              made.value);
    if (failed != std::errc{})
      refuse("this number is too large");
    else
      at_ = static_cast<std::size_t>(at - text_.data());
    return made;
  }

  std::string word() {
    const auto begin = at_;
    while (at_ < text_.size()
           && (is_letter(text_[at_]) || is_digit(text_[at_])))
      ++at_;
    return std::string{text_.substr(begin, at_ - begin)};
  }

  measure_expression named(std::size_t depth) {
    const auto begin = at_;
    measure_expression made{.what = kind::member};
    made.texts.push_back(word());
    if (peek() == '(')
      return function(made.texts.front(), begin, depth);
    while (take('.')) {
      if (!is_letter(peek())) {
        refuse("write the name of a member after the dot");
        break;
      }
      made.texts.push_back(word());
    }
    return made;
  }

  measure_expression function(std::string_view name, std::size_t begin,
                              std::size_t depth) {
    const auto* known = std::ranges::find(functions, name,
                                          &known_function::name);
    if (known == functions.end()) {
      std::array<std::string_view, functions.size()> names{};
      std::ranges::transform(functions, names.begin(), &known_function::name);
      at_ = begin;
      refuse("there is no such function" + suggest(name, names));
      return {};
    }
    take('(');
    measure_expression made{.what = known->what};
    if (known->texts_max == 0) {
      made.parts.push_back(sum(depth + 1));
      close();
      return made;
    }
    do
      made.texts.push_back(argument());
    while (take(','));
    close();
    if (made.texts.size() < known->texts_min
        || made.texts.size() > known->texts_max)
      refuse(std::string{name} + " takes " + std::to_string(known->texts_min)
             + (known->texts_min == known->texts_max
                  ? ""
                  : " or " + std::to_string(known->texts_max))
             + " arguments");
    return made;
  }

  /// As it is, up to a comma or parenthesis; or in quotes, as in JSON.
  std::string argument() {
    const bool quoted = peek() == '"';
    const auto begin = at_;
    if (!quoted) {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')')
        ++at_;
      auto found = text_.substr(begin, at_ - begin);
      while (found.ends_with(' '))
        found.remove_suffix(1);
      if (found.empty())
        refuse("write a name here");
      return std::string{found};
    }
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_)
      at_ += text_[at_] == '\\' ? 1 : 0;
    at_ = std::min(at_ + 1, text_.size());
    const auto parsed = parse_json(text_.substr(begin, at_ - begin));
    if (!parsed || !parsed->is_string()) {
      at_ = begin;
      refuse("write a text in quotes as JSON has it");
      return {};
    }
    const auto& found = parsed->get_string();
    return {found.data(), found.size()};
  }

  void close() {
    if (!take(')'))
      refuse("write ) here");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<error> fault_;
};

tl::unexpected<error> refuse_measure(std::string_view text, std::string why,
                                     std::string rule = "measure") {
  return fail(errc::usage, "--measure " + shorten(text) + ": " + std::move(why),
              std::move(rule));
}

} // namespace

result<measure> parse_measure(std::string_view text) {
  constexpr std::size_t name_bytes_max = 64;
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0)
    return refuse_measure(text, "give it as name=expression");
  if (text.size() > measure_bytes_max)
    return fail(errc::limit_reached,
                "--measure: an expression has at most "
                  + std::to_string(measure_bytes_max) + " bytes",
                "measure_bytes_max");
  const auto name = text.substr(0, equals);
  const auto fits = [](char c) { return is_letter(c) || is_digit(c); };
  if (!is_letter(name.front()) || !std::ranges::all_of(name, fits)
      || name.size() > name_bytes_max)
    return refuse_measure(text,
                          "a name begins with a letter and has at most "
                            + std::to_string(name_bytes_max)
                            + " letters, digits and _",
                          "measure_name");
  if (name == "completed" || name == "completion_ms"
      || std::ranges::find(named_measures, name, &named_measure::name)
           != named_measures.end())
    return refuse_measure(text, "this is measured already: use another name",
                          "measure_name");
  auto what = measure_parser{text, equals + 1}.parse();
  if (!what)
    return fail(std::move(what).error());
  return measure{std::string{name},
                 std::make_shared<const measure_expression>(*std::move(what))};
}

} // namespace convene::host
