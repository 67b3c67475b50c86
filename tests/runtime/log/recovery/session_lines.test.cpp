#include <catch2/catch.hpp>
#include <convene/runtime/log/recovery/session_lines.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/dice.hpp>

#include <string>
#include <vector>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

/// Files of lines of several sessions, and where each session's lines stand.
struct written_files {
  std::vector<std::string> names;
  std::vector<session_lines> sessions;
  std::vector<std::string> texts;              ///< by file
  std::vector<std::vector<std::string>> lines; ///< by session
};

/// Sessions that take turns at random, with other lines in between.
written_files write_files(const scratch_folder& folder, test::dice& dice,
                          std::size_t sessions) {
  written_files made;
  made.sessions.resize(sessions);
  made.lines.resize(sessions);
  for (std::size_t file = 0; file < 3; ++file) {
    made.names.push_back(
      (folder / ("f" + std::to_string(file)).c_str()).string());
    std::string text;
    for (std::size_t number = 1; number <= 300; ++number) {
      const auto who = dice.below(static_cast<unsigned>(sessions) + 1);
      const auto length = dice.chance(2) ? 40'000 : dice.below(300);
      const auto line = std::to_string(number) + ' ' + std::to_string(who) + ' '
                        + std::string(length, 'x');
      if (who < sessions) {
        made.sessions[who].add({made.names[file], file, 1, number, text.size()},
                               line.size());
        made.lines[who].push_back(line);
      }
      text += line + '\n';
    }
    write_bytes(made.names[file], text);
    made.texts.push_back(std::move(text));
  }
  return made;
}

} // namespace

TEST_CASE(
  "each session is shown its lines, from any of them on, and where they "
  "stand") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  const scratch_folder folder;
  test::dice dice{seed};
  const auto made = write_files(folder, dice, 1 + seed % 5);
  for (std::size_t who = 0; who < made.sessions.size(); ++who) {
    const auto& expected = made.lines[who];
    CHECK(made.sessions[who].count() == expected.size());
    for (const std::size_t first : {std::size_t{0}, expected.size() / 3,
                                    expected.size() - 1, expected.size()}) {
      std::vector<std::string> shown;
      REQUIRE(made.sessions[who].visit(
        made.names, {.first = first},
        [&](const log_place& place, std::string_view line) {
          shown.emplace_back(line);
          const auto& bytes = made.texts[place.file_index];
          CHECK(place.file == made.names[place.file_index]);
          CHECK(bytes.compare(place.offset, line.size(), line) == 0);
          CHECK(line.starts_with(std::to_string(place.number) + ' '));
        }));
      CHECK(
        shown
        == std::vector(expected.begin() + static_cast<std::ptrdiff_t>(first),
                       expected.end()));
    }
  }
}

TEST_CASE("no more lines are shown than are asked for") {
  const scratch_folder folder;
  test::dice dice{3};
  const auto made = write_files(folder, dice, 2);
  for (const std::uint64_t count : {0, 1, 77}) {
    std::vector<std::string> shown;
    REQUIRE(made.sessions[1].visit(made.names, {.first = 9, .count = count},
                                   [&](const auto&, auto line) {
                                     shown.emplace_back(line);
                                   }));
    const auto begin = made.lines[1].begin() + 9;
    CHECK(shown
          == std::vector(begin, begin + static_cast<std::ptrdiff_t>(count)));
  }
}

TEST_CASE("an excerpt has the lines it is of, whatever is added meanwhile") {
  const auto seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  const scratch_folder folder;
  test::dice dice{seed};
  const auto made = write_files(folder, dice, 1 + seed % 5);
  const auto& all = made.lines[0];
  for (int tries = 0; tries < 20; ++tries) {
    const auto first = dice.below(static_cast<unsigned>(all.size()) + 2);
    const auto count = dice.below(40);
    auto lines = made.sessions[0];
    const auto excerpt = lines.excerpt_of({.first = first, .count = count});
    lines.add({made.names[2], 2, 1, 999, 1'000'000'000}, 9); // not in the file
    std::vector<std::string> shown;
    REQUIRE(excerpt.lines.visit(made.names, excerpt.which,
                                [&](const auto&, auto line) {
                                  shown.emplace_back(line);
                                }));
    std::vector<std::string> wanted;
    for (std::size_t at = first; at < all.size() && at < first + count; ++at)
      wanted.push_back(all[at]);
    CHECK(shown == wanted);
  }
}

TEST_CASE("lines that are no longer there are an error, not the end") {
  const scratch_folder folder;
  test::dice dice{7};
  const auto made = write_files(folder, dice, 1);
  const auto visit = [&] {
    return made.sessions[0].visit(made.names, {}, [](const auto&, auto) {});
  };
  REQUIRE(visit());
  std::filesystem::resize_file(made.names[1], 1'000);
  const auto cut = visit();
  REQUIRE_FALSE(cut);
  CHECK(cut.error().rule == "log_damaged");
  CHECK(cut.error().file == made.names[1]);
  std::filesystem::remove(made.names[1]);
  REQUIRE_FALSE(visit());
  CHECK(visit().error().code == protocol::errc::unreadable);
}
