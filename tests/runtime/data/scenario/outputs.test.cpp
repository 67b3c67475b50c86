#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/outputs.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/session/machine/report.hpp>
#include <runtime/log/event_log/files.hpp>

#include <set>

using namespace convene::host;
using convene::protocol::errc;
using convene::protocol::parse_json;
using convene::tests::read_bytes;
using convene::tests::scratch_folder;
using convene::tests::write_bytes;
namespace fs = std::filesystem;

namespace {

session_documents documents() {
  return {.session_id = "650e8400-e29b-41d4-a716-446655443002",
          .collab = {{"kind", "collab"}},
          .dialog = {.dialog_id = "dialog"},
          .context = {{"kind", "context"}},
          .plan = {},
          .trace = {.trace_id = "trace"},
          .confirm = {},
          .result = {{"status", "completed"}}};
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.is_regular_file())
      names.insert(entry.path().lexically_relative(folder).string());
  return names;
}

} // namespace

TEST_CASE("a folder in which a run was killed before it began is taken again") {
  const scratch_folder at;
  const auto several = GENERATE(false, true);
  const auto left = GENERATE(values<std::vector<std::string>>(
    {{},
     {"run.json.new"},
     {"run.json.new", "scenario.json.new"},
     {"run.json.new", "scenario.json"},
     {"session/run.json.new", "session/scenario.json"}}));
  const auto folder = at / "out";
  fs::create_directories(folder / "log");
  for (const auto& name : left) {
    fs::create_directories((folder / name).parent_path());
    write_bytes(folder / name, "{");
  }
  const auto out = output_folder::create(folder, several);
  REQUIRE(out);
  CHECK(fs::exists(folder / "log") == several);
  REQUIRE(out->write_scenario({{"convene", "1"}}));
  REQUIRE(out->write_settings({}));
  CHECK_FALSE(fs::exists(folder / "run.json.new"));
  CHECK(out->read_settings());
}

TEST_CASE("a folder with anything else is nobody's beginning") {
  const scratch_folder at;
  const std::string name = GENERATE("scenario.json", "scenario.json.new",
                                    "run.json", "log/000001.jsonl",
                                    "session/scenario.json", "run.json.new/x",
                                    "notes.txt");
  fs::create_directories((at / "out" / name).parent_path());
  write_bytes(at / "out" / name, "mine");
  CHECK(output_folder::create(at / "out", false).error().code == errc::usage);
  CHECK(read_bytes(at / "out" / name) == "mine");
}

TEST_CASE("a run marks its folder before it writes its scenario") {
  const scratch_folder at;
  const auto out = output_folder::create(at / "out", false);
  REQUIRE(out->write_scenario({{"convene", "1"}}));
  CHECK(fs::exists(at / "out/run.json.new"));
}

TEST_CASE("folders and logs are for their owner alone") {
  const scratch_folder at;
  REQUIRE(output_folder::create(at / "a/b", true));
  for (const auto* name : {"a", "a/b", "a/b/log"})
    CHECK((fs::status(at / name).permissions() & fs::perms::all)
          == fs::perms::owner_all);
}

TEST_CASE("one session's documents stand in the folder itself") {
  const scratch_folder at;
  const auto out = output_folder::create(at / "a/b", false);
  REQUIRE(out);
  CHECK(out->log() == at / "a/b/events.jsonl");
  REQUIRE(out->write_scenario({{"convene", "1"}}));
  REQUIRE(out->write_settings({}));
  auto all = documents();
  all.plan = {{"kind", "plan"}};
  const auto written = out->write_session(all);
  REQUIRE(written);
  CHECK(files_in(at / "a/b")
        == std::set<std::string>{"collab.json", "context.json", "dialog.json",
                                 "plan.json", "result.json", "run.json",
                                 "scenario.json", "trace.json"});
  CHECK(parse_json(read_bytes(at / "a/b/plan.json")).value() == *all.plan);
  CHECK(parse_json(read_bytes(at / "a/b/result.json")).value() == *written);
  CHECK(written->at("status") == "completed");
  CHECK(written->at("documents").at("plan") == "plan.json");
  CHECK_FALSE(written->at("documents").as_object().contains("confirm"));
}

TEST_CASE("documents as large as a session writes them are read again") {
  const scratch_folder at;
  const auto out = output_folder::create(at / "out", false);
  REQUIRE(out);
  REQUIRE(out->write_scenario({{"convene", "1"}}));
  REQUIRE(out->write_settings({}));
  auto all = documents();
  const std::string long_text(1 << 20, 'x');
  for (auto* each : {&all.collab, &all.context})
    (*each)["texts"] = boost::json::array(80U, boost::json::value(long_text));
  auto left = std::make_shared<convene::session::report>();
  for (int i = 0; i < 80; ++i) {
    left->talk.add({.content = long_text});
    all.trace.segments.push_back({.label = long_text});
  }
  all.dialog.messages = convene::session::session_messages{left};
  REQUIRE(out->write_session(all));
  for (const auto& found : out->differences(all))
    FAIL_CHECK(to_string(found));
  all.dialog.dialog_id = "edited";
  CHECK(out->differences(all).size() == 1);
}

TEST_CASE("the documents of several sessions stand in folders of their own") {
  const scratch_folder at;
  const auto out = output_folder::create(at / "out", true);
  REQUIRE(out);
  REQUIRE(out->write_scenario({}));
  const auto written = out->write_session(documents());
  REQUIRE(written);
  const auto folder = at / "out" / "sessions" / documents().session_id;
  // Every path that the result names leads somewhere.
  for (const auto& [name, path] : written->at("documents").as_object())
    CHECK(fs::exists(folder / std::string{path.as_string()}));
  CHECK(fs::equivalent(out->log(), at / "out/log"));
  CHECK(fs::is_directory(out->log()));
}

TEST_CASE("a run never mixes with what is there") {
  const scratch_folder at;
  fs::create_directory(at / "empty");
  CHECK(output_folder::create(at / "empty", false));
  fs::create_directory(at / "full");
  convene::tests::write_bytes(at / "full" / "x", "x");
  CHECK(output_folder::create(at / "full", false).error().code == errc::usage);
  CHECK(output_folder::create(at / "full" / "x", false).error().code
        == errc::usage);
  CHECK(files_in(at.path()) == std::set<std::string>{"full/x"});
}

TEST_CASE("a folder that cannot be made or written is the wrong one") {
  for (const auto* place : {"/proc/nothing/here", "/dev/null/here"}) {
    const auto refused = output_folder::create(place, false).error();
    CHECK(refused.code == errc::usage);
    CHECK(refused.rule == "out");
  }
}

TEST_CASE("a file that cannot be written leaves what was there") {
  const scratch_folder at;
  CHECK(write_file(at / "missing/x", "y").error().code == errc::io_failed);
  REQUIRE(write_file(at / "x", "one"));
  REQUIRE(write_file(at / "x", "two"));
  CHECK(read_bytes(at / "x") == "two");
  fs::create_directory(at / "x.new"); // nothing can be written beside it
  CHECK(write_file(at / "x", "three").error().code == errc::io_failed);
  CHECK(read_bytes(at / "x") == "two");
}

TEST_CASE("reading a file is bounded, whatever its size claims to be") {
  const scratch_folder at;
  convene::tests::write_bytes(at / "x", "12345");
  CHECK(read_file(at / "x", 5).value() == "12345");
  CHECK(read_file(at / "x", 4).error().rule == "document_bytes_max");
  CHECK(read_file("/proc/self/status").value().size() > 10); // claims 0
  CHECK(read_file("/proc/self/status", 3).error().code == errc::limit_reached);
}

TEST_CASE("a folder that another run has taken is refused, and left empty") {
  const scratch_folder at;
  const auto folder = at / "out";
  {
    const auto first = output_folder::create(folder, true);
    REQUIRE(first);
    const auto second = output_folder::create(folder, false);
    REQUIRE_FALSE(second);
    CHECK(second.error().rule == "folder_locked");
  }
  fs::remove(folder / "log");
  CHECK(output_folder::create(folder, false));
  REQUIRE(output_folder::create(folder, false)->write_scenario({}));
  REQUIRE(output_folder::create(folder, false)->write_settings({}));
  const auto filled = output_folder::create(folder, false);
  REQUIRE_FALSE(filled);
  CHECK(filled.error().rule == "out");
}
