// Judges histories that programs write to its standard input, a word or number
// after another:
//
//     history NAME
//     grant BEGIN END LENGTH
//     append BEGIN END EPOCH OUTCOME PLACE BODY
//     read BEGIN END BODIES, and as many bodies
//     log EPOCH BODY
//
// OUTCOME: acknowledged, refused or unknown. END: 0 if the end of an
// operation is unknown. Prints a line for each history that is wrong; exit code
// 1 then, and 2 for other input.

#include <cluster/append_history.hpp>

#include <iostream>
#include <optional>
#include <string>

namespace {

using namespace convene::test;

struct named_history {
  std::string name;
  append_history is;
};

bool read_span(std::istream& in, call_span& to) {
  in >> to.begin >> to.end;
  if (to.end == 0)
    to.end = call_span::open;
  return !in.fail();
}

std::optional<append_outcome> read_outcome(std::istream& in) {
  std::string word;
  in >> word;
  if (word == "acknowledged")
    return append_outcome::acknowledged;
  if (word == "refused")
    return append_outcome::refused;
  if (word == "unknown")
    return append_outcome::unknown;
  return std::nullopt;
}

bool read_append(std::istream& in, append_history& to) {
  append_call one;
  if (!read_span(in, one.span) || !(in >> one.epoch))
    return false;
  const auto outcome = read_outcome(in);
  if (!outcome || !(in >> one.place >> one.body))
    return false;
  one.outcome = *outcome;
  to.appends.push_back(std::move(one));
  return true;
}

bool read_read(std::istream& in, append_history& to) {
  read_call one;
  std::size_t length = 0;
  if (!read_span(in, one.span) || !(in >> length))
    return false;
  for (std::string body; one.bodies.size() < length && in >> body;)
    one.bodies.push_back(std::move(body));
  if (in.fail())
    return false;
  to.reads.push_back(std::move(one));
  return true;
}

bool read_operation(const std::string& kind, std::istream& in,
                    append_history& to) {
  if (kind == "append")
    return read_append(in, to);
  if (kind == "read")
    return read_read(in, to);
  if (kind == "grant") {
    auto& one = to.grants.emplace_back();
    return read_span(in, one.span) && in >> one.length;
  }
  if (kind == "log") {
    auto& one = to.log.emplace_back();
    return static_cast<bool>(in >> one.epoch >> one.body);
  }
  return false;
}

/// True: it is right, or there is none.
bool pronounce(const std::optional<named_history>& of) {
  const auto wrong = of ? judge(of->is) : std::string{};
  if (!wrong.empty())
    std::cout << of->name << ": " << wrong << '\n';
  return wrong.empty();
}

} // namespace

int main() {
  std::optional<named_history> current;
  bool is_right = true;
  for (std::string kind; std::cin >> kind;) {
    if (kind == "history") {
      is_right = pronounce(current) && is_right;
      current.emplace();
      std::cin >> current->name;
    } else if (!current || !read_operation(kind, std::cin, current->is)) {
      std::cerr << "judge_history: not a history: " << kind << '\n';
      return 2;
    }
  }
  return pronounce(current) && is_right ? 0 : 1;
}
