#include "files.hpp"
#include "segment_text.hpp"
#include "session_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>
#include <convene/runtime/log/event_log/log_reader.hpp>
#include <convene/runtime/log/event_log/session_index.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <sys/syscall.h>
#include <unistd.h>

#include <random>

using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

/// Of this thread.
thread_local int syncs = 0;

} // namespace

/// Instead of the C library's.
extern "C" int fdatasync(int file) {
  ++syncs;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

namespace {

constexpr std::uint64_t sessions = 5;

/// Adds groups of random sessions' lines.
void add_groups(segment_text& segment, std::minstd_rand& random, int groups) {
  for (; groups > 0; --groups) {
    std::string lines;
    for (auto count = random() % 7; count > 0; --count)
      lines += line_of_session(random() % sessions,
                               std::to_string(segment.bytes().size())
                                 + std::string(random() % 200, 'x'))
               + '\n';
    segment.group(lines);
  }
}

using placed_lines = std::vector<std::pair<std::string, std::string>>;

/// What reading the whole log shows of a session.
placed_lines by_scan(const fs::path& path, std::uint64_t session) {
  placed_lines found;
  REQUIRE(visit_log(path, [&](const log_place& at, std::string_view text) {
    if (session_of(text) == session_number(session))
      found.emplace_back(at.file + ':' + std::to_string(at.number), text);
  }));
  return found;
}

/// And what the reader of sessions shows, how many bytes of the log it read.
placed_lines by_index(const fs::path& path, std::uint64_t session,
                      std::uint64_t* bytes_read = nullptr) {
  placed_lines found;
  const auto done = visit_session(
    path, session_number(session),
    [&](const log_place& at, std::string_view text) {
      found.emplace_back(at.file + ':' + std::to_string(at.number), text);
      return true;
    });
  if (!done)
    FAIL(to_string(done.error()));
  CHECK(done->lines == found.size());
  if (bytes_read != nullptr)
    *bytes_read = done->bytes_read;
  return found;
}

} // namespace

TEST_CASE("a session's events are the same by index as by reading it all") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  for (int round = 0; round < 20; ++round) {
    const scratch_folder folder;
    fs::create_directory(folder / "log");
    std::optional<std::uint32_t> previous;
    for (std::uint32_t number = 1; number <= 3; ++number) {
      segment_text segment{number, previous};
      add_groups(segment, random, 20);
      previous = segment.crc();
      write_bytes(folder.path() / "log" / (std::to_string(number) + ".jsonl"),
                  segment.bytes());
    }
    for (int again = 0; again < 2; ++again)
      for (std::uint64_t session = 0; session <= sessions; ++session)
        CHECK(by_index(folder.path(), session)
              == by_scan(folder.path(), session));
    CHECK(fs::exists(folder / "log/2.index"));
  }
}

TEST_CASE("with an index only the session's own bytes are read") {
  const scratch_folder folder;
  segment_text segment;
  std::string lines;
  for (int i = 0; i < 1000; ++i)
    lines += line_of_session(1, std::to_string(i)) + '\n';
  const auto mine = line_of_session(2, "mine") + '\n';
  segment.group(lines).group(mine + mine + lines).group(lines + mine);
  write_bytes(folder / "events.jsonl", segment.bytes());
  std::uint64_t bytes = 0;
  CHECK(by_index(folder.path(), 2, &bytes).size() == 3);
  CHECK(bytes == segment.bytes().size());
  CHECK(by_index(folder.path(), 2, &bytes).size() == 3);
  CHECK(bytes == 3 * mine.size());
  CHECK(by_index(folder.path(), 3, &bytes).empty());
  CHECK(bytes == 0);
}

TEST_CASE("what was written after the index was made is read, too") {
  std::minstd_rand random{5};
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text segment;
  for (int round = 0; round < 10; ++round) {
    add_groups(segment, random, 7);
    write_bytes(path, segment.bytes());
    for (std::uint64_t session = 0; session < sessions; ++session)
      CHECK(by_index(path, session) == by_scan(path, session));
  }
}

TEST_CASE("an index that is far behind is made up for") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text segment;
  const auto mine = line_of_session(2, "mine") + '\n';
  segment.group(mine);
  write_bytes(path, segment.bytes());
  by_index(path, 2);
  std::string lines;
  while (lines.size() < (std::size_t{1} << 20))
    lines += line_of_session(1, "x") + '\n';
  segment.group(lines + mine);
  write_bytes(path, segment.bytes());
  std::uint64_t bytes = 0;
  const auto found = by_index(path, 2, &bytes);
  CHECK(bytes > lines.size());
  CHECK(by_index(path, 2, &bytes) == found);
  CHECK(bytes == 2 * mine.size());
  CHECK(found.size() == 2);
}

TEST_CASE("no flipped bit in an index changes what is read") {
  std::minstd_rand random{11};
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text segment;
  add_groups(segment, random, 12);
  write_bytes(path, segment.bytes());
  const auto right = by_index(path, 3);
  const auto index = read_bytes(folder / "events.index");
  for (std::size_t at = 0; at < index.size(); ++at) {
    CAPTURE(at);
    auto bytes = index;
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
    write_bytes(folder / "events.index", bytes);
    REQUIRE(by_index(path, 3) == right);
    write_bytes(folder / "events.index", index.substr(0, at));
    REQUIRE(by_index(path, 3) == right);
  }
}

TEST_CASE("an index of another log, or of what was cut off, is not believed") {
  std::minstd_rand random{13};
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text other;
  add_groups(other, random, 20);
  write_bytes(path, other.bytes());
  by_index(path, 1);
  segment_text segment;
  SECTION("another log") {
    add_groups(segment, random, 25);
    write_bytes(path, segment.bytes());
  }
  SECTION("cut and gone on with") {
    const auto kept = other.bytes().substr(0, other.borders()[10]);
    write_bytes(path, kept);
  }
  for (std::uint64_t session = 0; session < sessions; ++session)
    CHECK(by_index(path, session) == by_scan(path, session));
}

TEST_CASE("bytes of the session that have changed are found out by index") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text segment;
  for (int i = 0; i < 9; ++i)
    segment.group(line_of_session(1, "one") + '\n' + line_of_session(2, "two")
                  + '\n');
  write_bytes(path, segment.bytes());
  by_index(path, 1);
  auto bytes = segment.bytes();
  bytes[bytes.find("\"two", segment.borders()[5]) + 1] = 'T';
  write_bytes(path, bytes);
  CHECK(by_index(path, 1).size() == 9);
  int shown = 0;
  const auto refused = visit_session(path, session_number(2),
                                     [&](const log_place&, std::string_view) {
                                       return ++shown < 99;
                                     });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "log_damaged");
  CHECK(refused.error().line == 15);
  CHECK(shown == 4);
}

TEST_CASE("reading a session stops when it is asked to") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto mine = line_of_session(1, "x") + '\n';
  write_bytes(path, segment_text{}.group(mine + mine).group(mine).bytes());
  for (int again = 0; again < 2; ++again)
    for (int wanted = 1; wanted <= 3; ++wanted) {
      int shown = 0;
      const auto done = visit_session(path, session_number(1),
                                      [&](const log_place&, std::string_view) {
                                        return ++shown < wanted;
                                      });
      REQUIRE(done);
      CHECK(shown == wanted);
      if (again == 0 && wanted == 1)
        CHECK_FALSE(fs::exists(folder / "events.index"));
    }
}

TEST_CASE("a log that may not have an index beside it is read all the same") {
  std::minstd_rand random{17};
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  segment_text segment;
  add_groups(segment, random, 9);
  write_bytes(path, segment.bytes());
  SECTION("because something is in the way") {
    fs::create_directory(folder / "events.index");
    CHECK(by_index(path, 1) == by_scan(path, 1));
    CHECK(fs::is_directory(folder / "events.index"));
  }
  SECTION("because it was asked not to") {
    REQUIRE(visit_session(
      path, session_number(1),
      [](const log_place&, std::string_view) { return true; },
      index_writing::never));
    CHECK_FALSE(fs::exists(folder / "events.index"));
  }
  // Nothing half done stays behind.
  for (const auto& entry : fs::directory_iterator{folder.path()})
    CHECK(entry.path().extension() != ".new");
}

TEST_CASE("an index is on disk before it has its name") {
  std::minstd_rand random{23};
  const scratch_folder folder;
  segment_text segment;
  add_groups(segment, random, 9);
  write_bytes(folder / "events.jsonl", segment.bytes());
  syncs = 0;
  by_index(folder / "events.jsonl", 1);
  CHECK(look_up(folder / "events.jsonl", session_number(1)));
  CHECK(syncs == 1);
}

TEST_CASE("a file that is no index is never taken for one's place") {
  std::minstd_rand random{19};
  const scratch_folder folder;
  const auto path = folder / "notes.jsonl";
  const auto notes = folder / "notes.index";
  segment_text segment;
  add_groups(segment, random, 9);
  write_bytes(path, segment.bytes());
  SECTION("whatever it has") {
    const auto mine = GENERATE(std::string{}, std::string{"mine"},
                               std::string{"convidx2 is not the magic"});
    write_bytes(notes, mine);
    CHECK(by_index(path, 1) == by_scan(path, 1));
    CHECK(read_bytes(notes) == mine);
  }
  SECTION("even if it leads nowhere") {
    fs::create_symlink("nowhere", notes);
    CHECK(by_index(path, 1) == by_scan(path, 1));
    CHECK(fs::is_symlink(notes));
  }
  SECTION("but a bad index is made anew") {
    write_bytes(notes, std::string{index_magic} + "bad");
    CHECK(by_index(path, 1) == by_scan(path, 1));
    CHECK(look_up(path, session_number(1)));
  }
}

TEST_CASE("a session is found in an event however it is laid out") {
  const auto id = to_string(session_number(1));
  const auto mine = [&](const std::string& line) {
    return session_of(line) == session_number(1);
  };
  CHECK(mine(line_of_session(1, "x")));
  CHECK(mine(R"({"session_id":")" + id + "\"}"));
  CHECK(
    mine(R"({ "payload":{"session_id":"x"}, "session_id" : ")" + id + "\" }"));
  CHECK(mine(R"({"session\u005fid":")" + id + "\"}"));
  const std::vector<std::string> others{
    "",
    "{",
    "[]",
    "\"" + id + "\"",
    R"({"payload":{"session_id":")" + id + "\"}}",
    R"({"a":"\"session_id\":\"","b":")" + id + "\"}",
    R"(["session_id":")" + id + "\"]",
    R"({"session_id":")" + id,
    R"({"session_id":7})",
    R"({"session_id":"me"})"};
  for (const auto& line : others)
    CHECK_FALSE(mine(line));
}

TEST_CASE("what is written to a log while a session is read is left for the "
          "next time") {
  const scratch_folder folder;
  const auto path = folder / "events.jsonl";
  const auto line = line_of_session(1, "a") + '\n';
  const auto writer = event_log_writer::open(path);
  REQUIRE(writer);
  std::uint64_t written = 0;
  const auto write = [&] {
    REQUIRE((*writer)->append(line));
    REQUIRE((*writer)->flush());
    ++written;
  };
  for (int i = 0; i < 3; ++i)
    write();
  // With an index of what was read the time before, and without.
  for (int i = 0; i < 2; ++i) {
    const auto before = written;
    const auto done = visit_session(path, session_number(1),
                                    [&](const auto&, auto) {
                                      if (written < 50)
                                        write();
                                      return true;
                                    });
    REQUIRE(done);
    CHECK(done->lines == before);
    auto rest = log_reader::open(path, done->end);
    REQUIRE(rest);
    std::uint64_t behind = 0;
    for (auto event = rest->next(); event && *event; event = rest->next())
      ++behind;
    CHECK(before + behind == written);
  }
}
