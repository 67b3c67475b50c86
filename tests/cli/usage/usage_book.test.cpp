#include <catch2/catch.hpp>
#include <convene/cli/usage/usage_book.hpp>

#include <stdexcept>

using convene::cli::usage_book;

namespace {

const usage_book& sample() {
  static const usage_book book{R"(= *
Runs sessions.

  --quiet,-q
    Write only errors

= run (Run)
Runs a scenario, over
two lines

  PATH
    A scenario

  --out DIR,...
    Where to: a folder,
    or several

Example: convene run a
         convene run b

Exit codes: 0

= run, resume

  --store FILE
    Also there
)"};
  return book;
}

} // namespace

TEST_CASE("lines of a paragraph become one, and a footer stays as it stands") {
  const auto& run = sample().command("run");
  CHECK(run.about == "Runs a scenario, over two lines");
  CHECK(run.footer
        == "Example: convene run a\n         convene run b\n\nExit codes: 0");
  CHECK(sample().command("").about == "Runs sessions.");
  CHECK(run.group == "Run");
  CHECK(sample().command("").group.empty());
}

TEST_CASE("an option is found by its first name, with those of all commands") {
  const auto& out = sample().option("run", "--out");
  CHECK(out.names == "--out");
  CHECK(out.value == "DIR,...");
  CHECK(out.about == "Where to: a folder, or several");
  CHECK(sample().option("run", "PATH").value.empty());
  CHECK(sample().option("run", "--quiet").names == "--quiet,-q");
  CHECK(sample().option("resume", "--store").about == "Also there");
}

TEST_CASE("what no text describes is an error") {
  CHECK_THROWS_AS(sample().command("serve"), std::logic_error);
  CHECK_THROWS_AS(sample().command("resume"), std::logic_error);
  CHECK_THROWS_AS(sample().option("resume", "--out"), std::logic_error);
}

TEST_CASE("the help of the program describes each of its commands once") {
  const usage_book book{convene::cli::usage_text()};
  CHECK(book.command("keys new").about == "Create a key and print it, once");
  CHECK(book.option("load", "--url").value == "URL");
}
