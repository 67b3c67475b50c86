#include <catch2/catch.hpp>
#include <convene/cli/people/line_editor.hpp>

#include <string>
#include <vector>

using convene::cli::line_editor;
using found = convene::cli::typed_lines::found;
using lines = std::vector<std::string>;

namespace {

constexpr std::size_t line_most = 100; // bytes

/// A terminal's row, and the lines that come of its keys.
struct typing {
  std::string shown;
  line_editor editor{line_most,
                     [this](std::string_view text) { shown += text; }};

  lines press(std::string_view keys, std::size_t piece) {
    lines all;
    std::string line;
    for (; !keys.empty(); keys.remove_prefix(std::min(piece, keys.size()))) {
      editor.feed(keys.substr(0, piece));
      for (auto what = editor.cut(line); what != found::none;
           what = editor.cut(line))
        all.push_back(what == found::line ? line : "(too long)");
    }
    return all;
  }
};

const std::string long_text(line_most + 1, 'x');

} // namespace

TEST_CASE("keys become lines, however they arrive") {
  struct row {
    std::string keys;
    lines expected;
  };
  const std::string longest(line_most, 'y');
  const auto each = GENERATE_COPY(values<row>({
    {"", {}},
    {"no end", {}},
    {"one\ntwo\n", {"one", "two"}},
    {"one\r", {"one"}},
    {"a\tb\n", {"a\tb"}},
    {"\xef\xbb\xbf/approve\n", {"/approve"}},
    {"\xe2\x80\x8f\xd7\xa9\n", {"\xe2\x80\x8f\xd7\xa9"}},
    {"bad \xff\xc3 bytes\n", {"bad \xff\xc3 bytes"}},
    // Backspace takes a character, with the marks on it.
    {"ab\x7f\x7f\x7f"
     "c\n",
     {"c"}},
    {"a\bb\n", {"b"}},
    {"caf\xc3\xa9\x7f\x7f"
     "b\n",
     {"cab"}},
    {"e\xcc\x81\xcc\xa3\x7fo\n", {"o"}},
    {"\xf0\x9f\x98\x80\xe6\xbc\xa2\x7f\n", {"\xf0\x9f\x98\x80"}},
    {"one two  \x17three\n", {"one three"}},
    {"one two\x15three\n", {"three"}},
    {"one\x12 two\n", {"one two"}},
    // Keys without a meaning here.
    {"a\x1b[D\x1b[1;5C\x1bOPb\x01\n", {"ab"}},
    {"\x1bq\x1b\n", {"q"}},
    {"\x1b[\nb\n", {"", "b"}},
    {"a\x04\n", {"a"}},
    // Pastes.
    {"\x1b[200~a\rb\x1b[201~\rc\r", {"a\nb", "c"}},
    {"say \x1b[200~a\r\nb\rc\r\x1b[201~!\n", {"say a\nb\nc!"}},
    {"\x1b[200~a\nb\x1b[201~\x7f\x7f\x7f\x7f\n", {""}},
    {"\x1b[200~a\nb\x1b[201~\x15"
     "c\n",
     {"c"}},
    {"\x1b[200~\x03\x04\x1b[31m\x7f\x1b[201~\n", {"\x03\x04\x1b[31m\x7f"}},
    {"its end\rtoo\x1b[201~mine\n", {"its end", "mine"}},
    // Lines that are too long.
    {longest + "\n", {longest}},
    {long_text + "/approve\nnext\n", {"(too long)", "next"}},
    {long_text + "\x15next\n", {"next"}},
    {"\x1b[200~" + long_text + "\nb\x1b[201~\nc\n", {"(too long)", "c"}},
    {"a\x1b[200~" + longest + "\x1b[201~\nc\n", {"(too long)", "c"}},
  }));
  const auto piece = GENERATE(std::size_t{1}, 2, 5, 4096);
  CAPTURE(each.keys, piece);
  CHECK(typing{}.press(each.keys, piece) == each.expected);
}

TEST_CASE("the end of the input is a key on an empty line") {
  typing at;
  at.press("a\x7f", 1);
  CHECK_FALSE(at.editor.at_end());
  at.press("\x04", 1);
  CHECK(at.editor.at_end());
  std::string line;
  at.editor.feed("/approve\n");
  CHECK(at.editor.cut(line) == found::none);
}

TEST_CASE("a terminal's settings say which keys edit") {
  typing at;
  at.editor.use({.erase = '#', .erase_word = '\0', .erase_line = '@'});
  CHECK(at.press("ab#c\nd@e\n", 4) == lines{"ac", "e"});
}

TEST_CASE("what is typed is shown, and nothing in it moves the cursor") {
  typing at;
  at.editor.begin("ana> ");
  struct row {
    std::string keys, expected;
  };
  const auto each = GENERATE(values<row>({
    {"caf\xc3\xa9", "caf\xc3\xa9"},
    {"a\xe6\xbc\xa2\x7f", "a\xe6\xbc\xa2\b \b\b \b"},
    {"a \x17", "a \b \b\b \b"},
    {"a\x1b[2Jb\x07", "ab"},
    {"\x1b[200~a\r\x1b[2Jb\x1b[201~\r", "a\n\xef\xbf\xbd[2Jb\n"},
    {"\x1b[200~a\rb\r\rc\x1b[201~\x7f\x7f", "a\nb\n\nc\b \b\nana> "},
    {"ab\x12", "ab\nana> ab"},
  }));
  CAPTURE(each.keys);
  at.press(each.keys, 4096);
  CHECK(at.shown == each.expected);
}

TEST_CASE("of a long paste, the beginning and the size are shown") {
  std::string shown;
  line_editor editor{1'000'000,
                     [&shown](std::string_view text) { shown += text; }};
  editor.begin("ana> ");
  std::string text;
  while (text.size() < 20'000)
    text += "a line of text\n";
  editor.feed("\x1b[200~" + text + "end\x1b[201~\n");
  std::string line;
  REQUIRE(editor.cut(line) == found::line);
  CHECK(line == text + "end");
  CHECK(shown.size() < 5'000);
  CHECK_THAT(shown, Catch::EndsWith("\n... (20013 bytes pasted)\n"));
}

TEST_CASE("what was discarded is in no line") {
  typing at;
  at.press("/appro", 6);
  CHECK(at.editor.discard());
  CHECK_FALSE(at.editor.discard());
  at.press("\x1b[200~a", 100); // a paste that never ends
  CHECK(at.editor.discard());
  CHECK(at.press("ve\n", 3) == lines{"ve"});
}
