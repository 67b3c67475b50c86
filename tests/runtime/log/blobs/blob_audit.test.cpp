#include "blob_lines.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <runtime/log/event_log/files.hpp>
#include <runtime/log/event_log/segment_text.hpp>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

/// A log that names a blob, which is there.
struct blob_log {
  blob_log() {
    write_bytes(at / "events.jsonl",
                segment_text{}.group(line_naming(1, which) + '\n').bytes());
    std::filesystem::create_directory(at / "blobs");
    write_bytes(file(), "\"a text\"");
  }

  [[nodiscard]] std::filesystem::path file() const {
    return at / "blobs" / which.sha256;
  }

  [[nodiscard]] blob_audit audited() const {
    blob_audit audit{at.path()};
    const auto read = visit_log(
      at / "events.jsonl", [&](const log_place& place, std::string_view line) {
        audit.feed(place, line);
      });
    REQUIRE(read);
    audit.finish(true);
    return audit;
  }

  scratch_folder at;
  protocol::blob which = host::name_blob("\"a text\"");
};

} // namespace

TEST_CASE("the blobs that a log names are held against their files") {
  const blob_log log;
  const auto good = log.audited();
  CHECK(good.findings().empty());
  CHECK(good.named() == 1);
  CHECK(good.unnamed() == 0);
  const auto rule = [&] {
    const auto audit = log.audited();
    REQUIRE(audit.findings_total() == 1);
    const auto& found = audit.findings().front();
    CHECK(found.file == (log.at / "events.jsonl").string());
    CHECK(found.line == 3);
    CHECK(found.message.starts_with(log.file().string()));
    return found.rule;
  };
  for (const auto* forged : {"\"a tex7\"", "\"a text\" ", ""}) {
    write_bytes(log.file(), forged);
    CHECK(rule() == "blob_corrupt");
  }
  std::filesystem::remove(log.file());
  CHECK(rule() == "blob_missing");
  std::filesystem::create_directory(log.file());
  CHECK(rule() == "blob_unreadable");
}

TEST_CASE("blobs that no event names are counted, and nothing else is") {
  const blob_log log;
  write_bytes(log.at / "blobs" / host::name_blob("1").sha256, "1");
  write_bytes(log.at / "blobs" / "README", "?");
  const auto audit = log.audited();
  CHECK(audit.findings().empty());
  CHECK(audit.unnamed() == 1);
}

TEST_CASE("the blobs that events name go along to another log, whole") {
  const blob_log log;
  const scratch_folder to;
  const auto lost = host::name_blob("\"lost\"");
  const auto line = line_naming(1, log.which);
  blob_carrier carrier{log.at / "blobs", to / "blobs"};
  carrier.feed_all(line + '\n' + line + '\n' + line_naming(1, lost) + '\n');
  CHECK(carrier.carried() == std::set{log.which});
  CHECK(read_bytes(to / "blobs" / log.which.sha256) == "\"a text\"");
  REQUIRE(carrier.left_total() == 1);
  CHECK(carrier.left()[0].rule == "blob_missing");

  write_bytes(log.file(), "\"forged\"");
  const scratch_folder other;
  blob_carrier again{log.at / "blobs", other / "blobs"};
  again.feed(line);
  REQUIRE(again.left_total() == 1);
  CHECK(again.left()[0].rule == "blob_corrupt");
  CHECK(blob_names_in(other / "blobs")->empty());
}
