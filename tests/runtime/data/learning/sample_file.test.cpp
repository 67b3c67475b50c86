#include <catch2/catch.hpp>
#include <convene/runtime/data/learning/sample_file.hpp>
#include <convene/runtime/data/learning/stored_samples.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/memory_store.hpp>
#include <runtime/log/event_log/files.hpp>
#include <sys/stat.h>

using namespace convene::tests;
using convene::host::kept_sample;
using convene::host::sample_file;

namespace {

kept_sample sample(char n) {
  const auto id = std::string{"00000000-0000-4000-8000-00000000000"} + n;
  return {id, R"({"sample_id":")" + id + R"(","sample_family":"x"})"};
}

} // namespace

TEST_CASE("a file of samples has each sample once, whoever adds it") {
  const scratch_folder folder;
  const auto file = folder / "samples.jsonl";
  {
    auto first = sample_file::open(file);
    REQUIRE(first);
    CHECK(first->add({sample('1'), sample('2'), sample('1')}) == 2);
    const auto other = sample_file::open(file);
    REQUIRE_FALSE(other);
    CHECK(other.error().rule == "line_file_locked");
  }
  auto second = sample_file::open(file);
  REQUIRE(second);
  CHECK(second->add({sample('2'), sample('3')}) == 1);
  CHECK(read_bytes(file)
        == sample('1').line + '\n' + sample('2').line + '\n' + sample('3').line
             + '\n');
}

TEST_CASE("what a crash left of a last sample is cut off") {
  const scratch_folder folder;
  const auto file = folder / "samples.jsonl";
  const auto cut = GENERATE(as<std::size_t>{}, 1, 5, 20, 40);
  write_bytes(file, sample('1').line + '\n' + sample('2').line.substr(0, cut));
  auto opened = sample_file::open(file);
  REQUIRE(opened);
  CHECK(read_bytes(file) == sample('1').line + '\n');
  CHECK(opened->add({sample('2')}) == 1);
}

TEST_CASE("a last sample that only lacks its end of line is kept") {
  const scratch_folder folder;
  const auto file = folder / "samples.jsonl";
  write_bytes(file, sample('1').line + '\n' + sample('2').line);
  auto opened = sample_file::open(file);
  REQUIRE(opened);
  CHECK(opened->add({sample('2'), sample('3')}) == 1);
  CHECK(read_bytes(file)
        == sample('1').line + '\n' + sample('2').line + '\n' + sample('3').line
             + '\n');
}

TEST_CASE("a file of something else is refused as it is") {
  const scratch_folder folder;
  const auto file = folder / "samples.jsonl";
  const auto text = GENERATE(as<std::string>{}, "notes", "notes\n", "{}\n",
                             R"({"sample_id":"x"})"
                             "\n",
                             R"({"sample_id":"x"})", "\n");
  write_bytes(file, text);
  const auto opened = sample_file::open(file);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().rule == "line_file");
  CHECK(read_bytes(file) == text);
}

TEST_CASE("samples are added to no pipe and no folder") {
  const scratch_folder folder;
  CHECK_FALSE(sample_file::open(folder / "."));
  const auto pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(sample_file::open(pipe));
}

TEST_CASE("a store has samples under their ids, also if they come twice") {
  const auto store = convene::host::make_memory_store();
  std::vector<kept_sample> all;
  for (int i = 0; i < 2'500; ++i)
    all.push_back({"id-" + std::to_string(i), "{\"n\":1}"});
  REQUIRE(convene::host::store_samples(*store, all));
  REQUIRE(convene::host::store_samples(*store, {all.front()}));
  const auto found
    = convene::host::awaited<std::optional<std::string>>([&](auto then) {
        store->get("learning_samples/id-2499", std::move(then));
      });
  REQUIRE(found);
  CHECK(*found == "{\"n\":1}");
}
