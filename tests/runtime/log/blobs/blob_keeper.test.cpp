#include "blob_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/blobs/blob_keeper.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/log/event_log/files.hpp>
#include <runtime/log/event_log/frail_storage.hpp>

#include <cerrno>
#include <thread>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

const std::filesystem::path blob_folder = "data/log/blobs";

log_options in_segments(storage& disk, std::uint64_t keep_bytes = 1) {
  return {.durability = protocol::durability::group,
          .existing = existing_log::append,
          .segment_bytes = 1,
          .keep_bytes = keep_bytes,
          .files = &disk};
}

/// A log whose every group is a segment, with its blobs.
struct kept_log {
  explicit kept_log(frail_storage& disk, std::uint64_t keep_bytes = 1)
    : how{in_segments(disk, keep_bytes)} {
    blobs = std::make_shared<blob_keeper>(blob_folder, how);
    how.companions = {blobs};
    writer = event_log_writer::open("data/log", how).value();
  }

  void append(const std::string& line) {
    REQUIRE(writer->append(line + '\n'));
    REQUIRE(writer->flush());
  }

  log_options how;
  std::shared_ptr<blob_keeper> blobs;
  std::unique_ptr<event_log_writer> writer;
};

bool is_there(const frail_storage& disk, const protocol::blob& which) {
  return !disk.content(blob_folder / which.sha256).empty();
}

} // namespace

TEST_CASE("a blob is on disk under its SHA-256 once it has a name") {
  frail_storage disk{1};
  blob_keeper blobs{blob_folder, in_segments(disk)};
  const auto made = blobs.put("\"a text\"");
  REQUIRE(made);
  CHECK(*made == host::name_blob("\"a text\""));
  CHECK(made->bytes == 8);
  CHECK(made->sha256
        == "382632c74f3e60e503647f6ae94ba092cb72f79cab0af8a0ee05cba12e32e29a");
  disk.cut_power_at(1);
  CHECK_FALSE(disk.open("other"));
  disk.power_up();
  CHECK(disk.content(blob_folder / made->sha256) == "\"a text\"");
}

TEST_CASE("a blob that is there is written again only where it is damaged") {
  frail_storage disk{1};
  blob_keeper blobs{blob_folder, in_segments(disk)};
  const auto made = blobs.put("\"a text\"").value();
  REQUIRE(blobs.put("\"a text\"") == made);
  CHECK(disk.content(blob_folder / made.sha256) == "\"a text\"");
  for (const auto* damaged : {"\"a t", "\"a tex!\"", "\"a text\" and more"}) {
    disk.set_content(blob_folder / made.sha256, damaged);
    REQUIRE(blobs.put("\"a text\"") == made);
    CHECK(disk.on_disk(blob_folder / made.sha256) == "\"a text\"");
  }
}

TEST_CASE("threads that keep the same value at once write it once") {
  const scratch_folder at;
  blob_keeper blobs{at / "blobs", {}};
  const std::string text = '"' + std::string(std::size_t{1} << 20, 'x') + '"';
  std::vector<std::thread> threads;
  std::atomic<int> kept = 0;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { kept += blobs.put(text) ? 1 : 0; });
  for (auto& each : threads)
    each.join();
  CHECK(kept == 8);
  const auto names = blob_names_in(at / "blobs").value();
  REQUIRE(names.size() == 1);
  CHECK(read_bytes(at / "blobs" / names[0]) == text);
}

TEST_CASE("a blob for which there is no room leaves nothing, and an error") {
  frail_storage disk{1};
  blob_keeper blobs{blob_folder, in_segments(disk)};
  const auto which = host::name_blob("\"a text\"");
  std::uint64_t calls = disk.calls();
  REQUIRE(blobs.put("\"a text\""));
  calls = disk.calls() - calls;
  for (std::uint64_t n = 1; n <= calls; ++n) {
    CAPTURE(n);
    REQUIRE(disk.remove(blob_folder / which.sha256));
    blob_keeper fresh{blob_folder, in_segments(disk)};
    disk.fail_at(n, ENOSPC, false);
    const auto refused = fresh.put("\"a text\"");
    disk.restart();
    if (refused) { // where the failure does not matter
      CHECK(is_there(disk, which));
      continue;
    }
    CHECK(refused.error().code == protocol::errc::io_failed);
    CHECK_FALSE(refused.error().file.empty());
    CHECK(fresh.put("\"a text\""));
    CHECK(disk.on_disk(blob_folder / which.sha256) == "\"a text\"");
  }
}

TEST_CASE("opening a log removes the blobs that no event of it names") {
  frail_storage disk{1};
  protocol::blob named;
  protocol::blob unnamed;
  {
    kept_log log{disk};
    named = log.blobs->put("\"named\"").value();
    unnamed = log.blobs->put("\"unnamed\"").value();
    log.append(line_naming(1, named));
    REQUIRE(log.writer->close());
  }
  disk.set_content(blob_folder / "README", "not ours");
  const kept_log again{disk};
  CHECK(again.blobs->swept() == 1);
  CHECK(is_there(disk, named));
  CHECK_FALSE(is_there(disk, unnamed));
  CHECK(disk.content(blob_folder / "README") == "not ours");
}

TEST_CASE("beside a log without events nothing is removed") {
  frail_storage disk{1};
  const auto which = host::name_blob("\"of a log that was moved away\"");
  disk.set_content(blob_folder / which.sha256,
                   "\"of a log that was moved away\"");
  const kept_log log{disk};
  CHECK(log.blobs->swept() == 0);
  CHECK(is_there(disk, which));
}

TEST_CASE("a blob goes with the last segment that names it") {
  frail_storage disk{1};
  kept_log log{disk};
  const auto twice = log.blobs->put("\"twice\"").value();
  const auto once = log.blobs->put("\"once\"").value();
  log.append(line_naming(1, twice));
  log.append(line_naming(1, once));
  log.append(line_of_session(1, "z", "MAPSessionCompleted"));
  CHECK(is_there(disk, once));
  REQUIRE(log.blobs->put("\"twice\"") == twice);
  log.append(line_naming(2, twice));
  log.append(line_naming(2, twice));
  CHECK(is_there(disk, twice));
  CHECK_FALSE(is_there(disk, once));
  log.append(line_of_session(2, "z", "MAPSessionCompleted"));
  log.append(line_of_session(3, "a"));
  log.append(line_of_session(3, "b"));
  CHECK_FALSE(is_there(disk, twice));
}

TEST_CASE("a blob stays for the event that is yet to name it") {
  frail_storage disk{1};
  kept_log log{disk};
  const auto which = log.blobs->put("\"again\"").value();
  log.append(line_naming(1, which));
  REQUIRE(log.blobs->put("\"again\"") == which);
  log.append(line_of_session(1, "z", "MAPSessionCompleted"));
  log.append(line_of_session(2, "a"));
  log.append(line_of_session(2, "b"));
  CHECK(disk.content("data/log/000001.jsonl").empty());
  CHECK(is_there(disk, which));
  log.append(line_naming(2, which));
  log.append(line_of_session(2, "z", "MAPSessionCompleted"));
  log.append(line_of_session(3, "a"));
  log.append(line_of_session(3, "b"));
  CHECK_FALSE(is_there(disk, which));
}

TEST_CASE("each log has a folder for blobs of its own") {
  const scratch_folder at;
  std::filesystem::create_directory(at / "log");
  CHECK(blob_folder_for(at / "log") == at / "log" / "blobs");
  CHECK(blob_folder_for(at / "log" / "000002.jsonl") == at / "log" / "blobs");
  CHECK(blob_folder_for(at / "events.jsonl") == at / "blobs");
  CHECK(blob_folder_for(at / "saved.jsonl") == at / "saved.blobs");
  CHECK(has_blobs(at / "new.jsonl"));
  CHECK_FALSE(has_blobs("/dev/null"));
  CHECK_FALSE(has_blobs(""));
}

TEST_CASE("blobs count for the size of a log") {
  for (const std::uint64_t keep : {2'000, 8'000}) {
    frail_storage disk{1};
    kept_log log{disk, keep};
    const auto made
      = log.blobs->put('"' + std::string(4'000, 'x') + '"').value();
    log.append(line_naming(1, made));
    for (std::uint64_t session = 2; session <= 4; ++session)
      log.append(line_of_session(session, "ends", "MAPSessionCompleted"));
    log.append(line_of_session(1, "ends", "MAPSessionCompleted"));
    log.append(line_of_session(5, "ends", "MAPSessionCompleted"));
    CHECK(is_there(disk, made) == (keep == 8'000));
  }
}
