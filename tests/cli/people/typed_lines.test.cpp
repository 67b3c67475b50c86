#include <catch2/catch.hpp>
#include <convene/cli/people/typed_lines.hpp>

#include <string>
#include <vector>

using convene::cli::typed_lines;
using found = typed_lines::found;
using lines = std::vector<std::string>;

namespace {

constexpr std::size_t bytes_max = 100;

/// The lines of a text that comes in pieces of this size, then ends.
lines cut(std::string_view text, std::size_t piece) {
  typed_lines typed{bytes_max};
  lines all;
  std::string line;
  const auto take = [&] {
    for (auto what = typed.cut(line); what != found::none;
         what = typed.cut(line))
      all.push_back(what == found::line ? line : "(too long)");
  };
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    typed.feed(text.substr(0, piece));
    take();
  }
  typed.end();
  take();
  return all;
}

} // namespace

TEST_CASE("what is typed is cut into lines, however it arrives") {
  struct row {
    std::string text;
    lines expected;
  };
  const std::string long_line(bytes_max + 1, 'x');
  const std::string longest(bytes_max, 'y');
  const std::string bom = "\xef\xbb\xbf";
  const std::string rtl = "\xe2\x80\x8f\xd7\xa9\xd7\x9c\xe2\x80\x8f";
  const auto each = GENERATE_COPY(values<row>({
    {"", {}},
    {"one\ntwo\n", {"one", "two"}},
    {"no end", {"no end"}},
    {"one\r\n", {"one\r"}},
    {bom + "one\n" + bom + "/approve\n", {"one", "/approve"}},
    {rtl + "\n", {rtl}},
    {longest + "\n", {longest}},
    {long_line + "/approve\nnext\n", {"(too long)", "next"}},
    {long_line, {"(too long)"}},
    {"\x1b[200~a\nb\x1b[201~\nc\n", {"a\nb", "c"}},
    {"say \x1b[200~a\r\nb\rc\r\x1b[201~!\n", {"say a\nb\nc!"}},
    {"\x1b[200~/approve\x1b[201~\n", {"/approve"}},
    {"\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~\n", {"ab"}},
    {"\x1b[200~never\nends", {"never\nends"}},
    {"\x1b[200~" + long_line + "\nb\n", {"(too long)"}},
    {"\x1b[200~a\n" + long_line + "\nb\x1b[201~\nc\n", {"(too long)", "c"}},
    {"\x1b[2\n", {"\x1b[2"}},
  }));
  const auto piece = GENERATE(std::size_t{1}, 2, 5, 4096);
  CAPTURE(each.text, piece);
  CHECK(cut(each.text, piece) == each.expected);
}

TEST_CASE("a line that has begun is dropped with its rest") {
  typed_lines typed{bytes_max};
  std::string line;
  typed.feed("/appro");
  REQUIRE(typed.cut(line) == found::none);
  typed.drop_begun();
  typed.feed("ve\nmine\n");
  REQUIRE(typed.cut(line) == found::line);
  CHECK(line == "mine");
  // Nothing has begun.
  typed.drop_begun();
  typed.feed("next\n");
  REQUIRE(typed.cut(line) == found::line);
  CHECK(line == "next");
}
