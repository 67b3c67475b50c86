// What a log has to show for sessions whose end was acknowledged.

#include "frail_storage.hpp"
#include "trimmed_folder.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/ended_sessions.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>

#include <map>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t all_kept = 1'000'000;

/// Segments of one group each; the last two have an end of a session.
void write_ends(const fs::path& folder) {
  write(folder, {started(1), goes_on(1), started(2), ended(1), ended(2)},
        all_kept);
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator{folder})
    all.emplace(entry.path().filename(), read_bytes(entry.path()));
  return all;
}

/// The record that `bytes` give, whichever it is.
std::optional<ended_mark> mark_in(const std::string& bytes) {
  const auto read = parse_ended(bytes, "ended");
  return read ? read->last : std::nullopt;
}

} // namespace

TEST_CASE("a log that lost the end of a session is refused, and left as it "
          "was") {
  const scratch_folder folder;
  write_ends(folder.path());
  const auto last = folder / "000005.jsonl";
  REQUIRE(read_log(folder.path()));
  SECTION("its last byte") {
    fs::resize_file(last, fs::file_size(last) - 1);
  }
  SECTION("its last group") {
    fs::resize_file(last, 0);
  }
  SECTION("its last segment") {
    fs::remove(last);
  }
  SECTION("two segments") {
    fs::remove(last);
    fs::remove(folder / "000004.jsonl");
  }
  SECTION("all of them") {
    for (const auto number : there(folder.path()))
      fs::remove(folder.path() / segment_name(number));
  }
  SECTION("for another log") {
    const scratch_folder other;
    write(other.path(),
          {started(3), goes_on(3), started(4), goes_on(3), goes_on(4)},
          all_kept);
    for (const auto number : there(other.path()))
      fs::copy_file(other.path() / segment_name(number),
                    folder.path() / segment_name(number),
                    fs::copy_options::overwrite_existing);
  }
  const auto before = files_in(folder.path());
  if (before.size() > 2) {
    const auto read = read_log(folder.path());
    REQUIRE_FALSE(read);
    CHECK(read.error().rule == session_end_missing);
    CHECK_FALSE(visit_sessions(folder.path(), [](const auto&, auto) {}));
  }
  const auto refused = event_log_writer::open(folder.path(),
                                              one_group_each(all_kept));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == session_end_missing);
  CHECK(refused.error().message.find(to_string(session_number(2)))
        != std::string::npos);
  CHECK(files_in(folder.path()) == before);

  auto how = one_group_each(all_kept);
  how.accept_loss = true;
  REQUIRE(event_log_writer::open(folder.path(), how));
  CHECK(read_log(folder.path()));
  CHECK(event_log_writer::open(folder.path(), one_group_each(all_kept)));
}

TEST_CASE("a segment with a session's end may be removed") {
  const scratch_folder folder;
  write(folder.path(), {started(1), ended(1), started(2), goes_on(2)});
  REQUIRE(there(folder.path()).front() > 2);
  REQUIRE(read_ended(folder.path())->last->segment == 2);
  write(folder.path(), {goes_on(2)});
  CHECK(read_log(folder.path()));
}

TEST_CASE("the end of a session is on record when it is acknowledged") {
  const fs::path folder = "data/log";
  frail_storage disk{1};
  auto how = one_group_each(all_kept);
  how.files = &disk;
  const auto writer = event_log_writer::open(folder, how);
  REQUIRE(writer);
  for (std::uint64_t session = 1; session < 5; ++session) {
    REQUIRE((*writer)->append(started(session)));
    REQUIRE((*writer)->flush());
    REQUIRE((*writer)->append(ended(session) + started(session + 100)));
    REQUIRE((*writer)->flush());
    const auto told = mark_in(disk.on_disk(folder / "ended"));
    REQUIRE(told);
    CHECK(told->session_id == to_string(session_number(session)));
    CHECK(told->segment == 2 * session);
    CHECK(told->bytes
          == disk.on_disk(folder / segment_name(told->segment)).size());
  }
}

TEST_CASE("no flipped bit makes a record of ended sessions say something "
          "else") {
  const ended_mark older{.segment = 1,
                         .bytes = 900,
                         .crc = 7,
                         .session_id = to_string(session_number(1))};
  const ended_mark newer{.segment = 2,
                         .bytes = 400,
                         .crc = 8,
                         .session_id = to_string(session_number(2))};
  const auto good = to_record(older) + to_record(newer);
  REQUIRE(mark_in(good) == newer);
  REQUIRE(mark_in(to_record(newer) + to_record(older)) == newer);
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const auto read = mark_in(bytes);
      if (read != (at < ended_record_bytes ? newer : older))
        FAIL("byte " << at << ", bit " << bit);
    }
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto read = parse_ended(good.substr(0, size), "ended");
    if (size > 0 && size < ended_record_bytes) {
      // The first record, which was never written whole.
      CHECK((read && !read->last));
    } else if (size > 0) {
      CHECK(read->last == older);
    }
  }
}

TEST_CASE("a record of ended sessions that is damaged is refused") {
  const scratch_folder folder;
  write_ends(folder.path());
  auto bytes = read_bytes(folder / "ended");
  REQUIRE(bytes.size() == 2 * ended_record_bytes);
  bytes[10] = bytes[10 + ended_record_bytes] = 'x';
  write_bytes(folder / "ended", bytes);
  const auto read = read_log(folder.path());
  REQUIRE_FALSE(read);
  CHECK(read.error().rule == "log_damaged");
  CHECK(read.error().file == (folder / "ended").string());
  CHECK_FALSE(event_log_writer::open(folder.path(), one_group_each(1)));
}
