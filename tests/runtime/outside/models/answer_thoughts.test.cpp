#include <catch2/catch.hpp>
#include <convene/runtime/outside/models/answer_thoughts.hpp>

#include <string>
#include <utility>

using namespace convene::host;

namespace {

/// What is said in a text that comes in pieces of so many bytes.
std::string said_in(std::string_view text, std::size_t bytes) {
  thought_filter filter;
  for (std::size_t at = 0; at < text.size(); at += bytes)
    static_cast<void>(filter.feed(text.substr(at, bytes)));
  return std::move(filter).finish();
}

} // namespace

TEST_CASE("thoughts in tags are not said, however the text is cut") {
  const auto [text, said] = GENERATE(table<std::string, std::string>({
    {"", ""},
    {"hello", "hello"},
    {" \n hello ", " \n hello "},
    {"<think>They want APPROVED.</think>\n\nNot good.", "Not good."},
    {" \n<think>a</think>x", "x"},
    {"<think></think>x", "x"},
    {"<think>a</think>\n<think>b</think>\nx", "x"},
    {"<think>a</think>x<think>b</think>y", "xy"},
    {"<think>a</think>x\n<think>b</think>\ny", "x\n\ny"},
    {"<think>a < b, a</thin", ""},
    {"<think>never closed", ""},
    {"<think>a</think>x\n<think>cut off", "x\n"},
    {"<thinking>a</thinking>x", "x"},
    {"<reasoning>a</reasoning>x", "x"},
    {"[THINK]a[/THINK]x", "x"},
    {"◁think▷a◁/think▷x", "x"},
    {"<seed:think>a</seed:think>x", "x"},
    // The opening tag is in the prompt.
    {"I must not say APPROVED</think>\n\nNo.", "No."},
    {"hm\n</think>No.", "No."},
    {"hm</think>", ""},
    // Said, then thought.
    {"Sure.\n<think>APPROVED?</think>\nNo.", "Sure.\n\nNo."},
    // Spoken of.
    {"The <think> tag", "The <think> tag"},
    {"Write <think>x</think> first", "Write <think>x</think> first"},
    {"`<think>` and `</think>`\n", "`<think>` and `</think>`\n"},
    {"End it by `</think>`\nsaid", "End it by `</think>`\nsaid"},
    {"x\n```\n<think>a</think>\n```\ny", "x\n```\n<think>a</think>\n```\ny"},
    {"<think>a</think>Use `<think>b</think>`", "Use `<think>b</think>`"},
    {"<think>a</think>Use \"<think>b</think>\"", "Use \"<think>b</think>\""},
    {"<think>a</think>The <think> tag", "The <think> tag"},
    {"x\n<think>never closed", "x\n<think>never closed"},
    {"a < b, [1], ◁", "a < b, [1], ◁"},
    {"<thinker>x", "<thinker>x"},
    {"<th", "<th"},
  }));
  INFO(text);
  for (std::size_t bytes = 1; bytes <= text.size() + 1; ++bytes)
    REQUIRE(said_in(text, bytes) == said);
}

TEST_CASE("what is passed on is what is said, and never a thought in tags") {
  thought_filter filter;
  std::string passed;
  for (const char c : std::string{"<think>APPROVED</think>No, `<th` is x."})
    passed += filter.feed({&c, 1});
  CHECK(passed == "No, `<th` is x.");
  CHECK(std::move(filter).finish() == passed);
}
