// convene dialog append, pause, resume, complete and cancel.

#include "program.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <sys/stat.h>

#include <memory>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// A folder with an active Dialog of one message.
struct talk {
  scratch_folder folder;
  std::string file = (folder / "dialog.json").string();
  std::string events = (folder / "seen.jsonl").string();

  talk() {
    write_bytes(file, R"({
      "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
      "dialog_id": "550e8400-e29b-41d4-a716-446655440001",
      "context_id": "550e8400-e29b-41d4-a716-446655440002",
      "status": "active", "messages": [
        {"role": "user", "content": "Translate it.",
         "timestamp": "2025-12-07T00:00:00.000Z"}]})");
  }

  [[nodiscard]] json::object document() const {
    const auto read = parse_json(read_bytes(file));
    REQUIRE(read);
    return read->as_object();
  }
  void set(const std::string& member, const json::value& value) const {
    auto now = document();
    now[member] = value;
    write_bytes(file, json::serialize(now));
  }
  [[nodiscard]] std::vector<std::string> event_types() const {
    std::vector<std::string> all;
    std::istringstream lines{read_bytes(events)};
    for (std::string line; std::getline(lines, line);)
      all.emplace_back(parse_json(line).value().at("event_type").as_string());
    return all;
  }
};

} // namespace

TEST_CASE("a message is appended to a dialog, which stays valid") {
  const talk at;
  const auto done = run({"dialog", "append", at.file, "Also in French."});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("message of user appended, 2 messages"));
  const auto said = at.document().at("messages").as_array();
  REQUIRE(said.size() == 2);
  CHECK(said[0].at("content") == "Translate it.");
  CHECK(said[1].at("content") == "Also in French.");
  CHECK(said[1].at("role") == "user");
  CHECK(run({"validate", "--strict", at.file}).code == 0);
  // A folder stands for its dialog.json.
  const auto other = run({"dialog", "append", at.folder.path().string(), "Oui.",
                          "--role", "agent", "--json"});
  CHECK(other.code == 0);
  const auto told = parse_json(other.out);
  REQUIRE(told);
  CHECK(told->at("messages") == 3);
  CHECK(told->at("events").at(0).at("event_type") == "dialog_updated");
  CHECK(at.document().at("messages").at(2).at("role") == "agent");
}

TEST_CASE("what is said may come by standard input") {
  const talk at;
  REQUIRE(run_shell("printf 'two\\nlines\\n' | \"$0\" \"$@\"",
                    {"dialog", "append", "--quiet", at.file})
            .code
          == 0);
  CHECK(at.document().at("messages").at(1).at("content") == "two\nlines");
  const auto empty = run_verbosely({"dialog", "append", at.file});
  CHECK(empty.code == 2);
  CHECK_THAT(empty.err, Contains("message_empty"));
  const auto endless
    = run_shell("head -c 20000000 /dev/zero | tr '\\0' x | \"$0\" \"$@\"",
                {"dialog", "append", at.file, "-v"});
  REQUIRE(endless.code != 0);
  CHECK_THAT(endless.err, Contains("message_bytes_max"));
  CHECK(at.document().at("messages").as_array().size() == 2);
}

TEST_CASE(
  "a dialog moves along its lifecycle and takes messages while active") {
  const talk at;
  CHECK(run({"dialog", "pause", at.file}).code == 0);
  CHECK(at.document().at("status") == "paused");
  const auto paused = run_verbosely({"dialog", "append", at.file, "x"});
  CHECK(paused.code == 1);
  CHECK_THAT(paused.err, Contains("dialog_active") && Contains("dialog.json"));
  const auto early = run_verbosely({"dialog", "complete", at.file});
  CHECK(early.code == 1);
  CHECK_THAT(early.err, Contains("status_move"));
  CHECK_THAT(run_verbosely({"dialog", "pause", at.file}).err,
             Contains("status_changes"));
  CHECK(run({"dialog", "resume", at.file}).code == 0);
  CHECK_FALSE(at.document().contains("ended_at"));
  CHECK(run({"dialog", "complete", at.file}).code == 0);
  CHECK(at.document().at("status") == "completed");
  CHECK(at.document().contains("ended_at"));
  CHECK_THAT(run_verbosely({"dialog", "cancel", at.file}).err,
             Contains("status_final"));
  CHECK(run({"validate", "--invariants", at.file}).code == 0);
}

TEST_CASE("the events of changes are appended, an event a line, and valid") {
  const talk at;
  const auto change = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "dialog");
    words.insert(words.end(), {"--events", at.events});
    return run(words);
  };
  CHECK(change({"append", at.file, "In French.", "--changes", "1"}).code == 0);
  CHECK(change({"append", at.file, "Oui.", "--role", "agent"}).code == 0);
  CHECK(change({"cancel", at.file}).code == 0);
  CHECK(at.event_types()
        == std::vector<std::string>{"user_message_received",
                                    "modification_requested", "dialog_updated",
                                    "dialog_updated", "dialog_updated"});
  CHECK(run({"validate", "--strict", at.events}).code == 0);
  // A refused change has none.
  CHECK(change({"append", at.file, "Late."}).code == 1);
  CHECK(at.event_types().size() == 5);
}

TEST_CASE("events go only to a file of such events") {
  const talk at;
  const auto before = read_bytes(at.file);
  const auto text = GENERATE(as<std::string>{}, R"({"log_opened":{}})",
                             "{\"event_id\":\"1\"}\n{\"event_id\":", "[]\n");
  write_bytes(at.events, text);
  const auto refused
    = run_verbosely({"dialog", "append", at.file, "x", "--events", at.events});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("event_file"));
  CHECK(read_bytes(at.events) == text);
  const auto itself
    = run({"dialog", "append", at.file, "x", "--events", at.file});
  CHECK(itself.code == 2);
  CHECK(read_bytes(at.file) == before);
}

TEST_CASE("a locked dialog is not changed") {
  const talk at;
  at.set("governance", {{"locked", true}});
  const auto before = read_bytes(at.file);
  for (const std::string what : {"pause", "complete", "cancel"}) {
    const auto refused = run({"dialog", what, at.file});
    CHECK(refused.code == 1);
    CHECK_THAT(refused.err, Contains("locked"));
  }
  const auto refused = run({"dialog", "append", at.file, "x", "--json"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains(R"("rule": "locked")"));
  CHECK(read_bytes(at.file) == before);
}

TEST_CASE("a dialog is refused whose folder has another Context") {
  const talk at;
  write_bytes(at.folder / "context.json",
              R"({"context_id": "550e8400-e29b-41d4-a716-446655440003"})");
  const auto refused = run_verbosely({"dialog", "append", at.file, "x"});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.err, Contains("reference_missing"));
  write_bytes(at.folder / "context.json", "[");
  CHECK_THAT(run({"dialog", "append", at.file, "x"}).err,
             Contains("context.json"));
  write_bytes(at.folder / "context.json",
              R"({"context_id": "550e8400-e29b-41d4-a716-446655440002"})");
  CHECK(run({"dialog", "append", at.file, "x"}).code == 0);
}

TEST_CASE("a dialog in the form of the first descriptions goes on in it") {
  const talk at;
  const json::object meta{{"protocolVersion", "1.0.0"}, {"source", "sdk"}};
  at.set("meta", meta);
  at.set("dialog_id", "dialog-550e8400-e29b-41d4-a716-446655440001");
  at.set("context_id", "ctx-123");
  const auto before = at.document();
  CHECK(run({"dialog", "append", at.file, "x"}).code == 0);
  CHECK(run({"dialog", "complete", at.file}).code == 0);
  const auto after = at.document();
  for (const auto* same : {"dialog_id", "context_id"})
    CHECK(after.at(same) == before.at(same));
  for (const auto& [name, value] : meta)
    CHECK(after.at("meta").at(name) == value);
  CHECK(after.at("meta").as_object().size() == 3); // and updated_at
  CHECK(after.at("status") == "completed");
  const auto& messages = after.at("messages").as_array();
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] == before.at("messages").at(0));
  CHECK(messages[1].at("content") == "x");
  CHECK(run({"validate", at.file}).code == 0);
  // It still belongs to the context that it names, in that form.
  const talk other;
  other.set("context_id", "ctx-123");
  write_bytes((other.folder / "context.json").string(),
              R"({"context_id": "ctx-123", "title": "t"})");
  CHECK(run({"dialog", "append", other.file, "x"}).code == 0);
  write_bytes((other.folder / "context.json").string(),
              R"({"context_id": "ctx-124", "title": "t"})");
  CHECK(run({"dialog", "append", other.file, "x"}).code == 1);
}

TEST_CASE("a dialog without meta, with nulls and times without a zone goes "
          "on") {
  const talk at;
  write_bytes(at.file, R"({
    "dialog_id": "550e8400-e29b-41d4-a716-446655440001",
    "context_id": "ctx-123", "thread_id": null, "status": "active",
    "messages": [{"role": "system", "content": "You are helpful.",
                  "timestamp": "2025-12-07T00:00:00.123456"}],
    "started_at": "2025-12-07T00:00:00.123456"})");
  const auto before = at.document();
  const auto done = run({"dialog", "append", at.file, "Fix the login bug"});
  CHECK(done.err == "");
  CHECK(done.code == 0);
  const auto after = at.document();
  CHECK(after.at("thread_id").is_null());
  CHECK(after.at("started_at") == before.at("started_at"));
  CHECK(after.at("messages").at(0) == before.at("messages").at(0));
  CHECK(after.at("messages").at(1).at("content") == "Fix the login bug");
  CHECK(run({"dialog", "append", at.file, "y"}).code == 0);
  CHECK(run({"dialog", at.file, "--format", "openai"}).code == 0);
}

TEST_CASE("a dialog of another version of the protocol is not changed") {
  const talk at;
  at.set("meta", {{"protocol_version", "1.1.0"}, {"schema_version", "1.0.0"}});
  const auto before = read_bytes(at.file);
  const auto refused = run_verbosely({"dialog", "append", at.file, "x"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("protocol_version_unsupported"));
  CHECK(read_bytes(at.file) == before);
}

TEST_CASE("a changed dialog keeps its permissions and its links") {
  const talk at;
  REQUIRE(::chmod(at.file.c_str(), 0640) == 0);
  const auto link = (at.folder / "link.json").string();
  fs::create_symlink("dialog.json", link);
  CHECK(run({"dialog", "append", link, "x"}).code == 0);
  CHECK(fs::is_symlink(link));
  CHECK(at.document().at("messages").as_array().size() == 2);
  struct stat status {};
  REQUIRE(::stat(at.file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK_FALSE(fs::exists(at.file + ".new"));
}

TEST_CASE("of messages that are appended at once none is lost") {
  const talk at;
  std::vector<std::unique_ptr<program>> all;
  for (int i = 0; i < 8; ++i)
    all.push_back(std::make_unique<program>(std::vector<std::string>{
      "dialog", "append", at.file, std::to_string(i), "-v"}));
  std::size_t appended = 0;
  for (const auto& one : all) {
    const auto done = one->wait();
    appended += done.code == 0 ? 1 : 0;
    if (done.code != 0)
      CHECK_THAT(done.err, Contains("folder_locked"));
  }
  CHECK(appended != 0);
  CHECK(at.document().at("messages").as_array().size() == 1 + appended);
}

TEST_CASE("options of showing a dialog are refused where it is changed") {
  const talk at;
  const auto mixed
    = run({"dialog", "--format", "openai", "append", at.file, "x"});
  CHECK(mixed.code == 2);
  CHECK_THAT(mixed.err, Contains("--format"));
  CHECK(run({"dialog", at.file, "pause", at.file}).code == 2);
  CHECK(run({"dialog"}).code == 2);
  CHECK(run({"dialog", "append"}).code == 2);
  CHECK(run({"dialog", "append", at.file, "x", "--role", "boss"}).code == 2);
  CHECK(run({"dialog", "append", at.file, "x", "--changes", "0"}).code == 2);
  CHECK(at.document().at("messages").as_array().size() == 1);
  // The shared ones may come first.
  CHECK(run({"dialog", "--json", "append", at.file, "x"}).code == 0);
}
