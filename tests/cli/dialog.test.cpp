#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using Catch::StartsWith;
using convene::protocol::parse_json;

namespace {

const scratch_folder files;

std::string write(const std::string& name, const std::string& text) {
  const auto path = files / name.c_str();
  write_bytes(path, text);
  return path.string();
}

std::string chat_file() {
  return write("chat.json", R"({"system": "Be brief.", "messages": [
      {"role": "user", "content": "Why?"},
      {"role": "assistant", "content": "Because."}]})");
}

/// A Dialog document that the program made of the chat.
std::string dialog_file(const std::string& name) {
  const auto made = run({"dialog", chat_file(), "--from", "anthropic"});
  REQUIRE(made.code == 0);
  return write(name, made.out);
}

} // namespace

TEST_CASE("nothing that a terminal obeys is in a dialog that is shown") {
  const auto dialog = write("hostile.json", R"({"messages": [
      {"role": "user", "content": "a\u009b31mb\u202ec\u200bd\u001be\u007f"}]})");
  for (const auto* form : {"native", "openai", "anthropic"})
    for (const auto* json : {"--no-color", "--json"}) {
      const auto shown
        = run({"dialog", dialog, "--from", "openai", "--format", form, json});
      CHECK(shown.code == 0);
      CHECK_THAT(shown.out,
                 Contains(R"(a\u009b31mb\u202ec\u200bd\u001be\u007f)"));
      CHECK(parse_json(shown.out));
    }
}

TEST_CASE("a chat becomes a valid Dialog and comes back as the same chat") {
  const auto dialog = dialog_file("dialog.json");
  CHECK(run({"validate", dialog, "--schema", "dialog"}).code == 0);
  const auto back = run({"dialog", dialog, "--format", "anthropic"});
  CHECK(back.code == 0);
  CHECK(parse_json(back.out) == parse_json(read_bytes(chat_file())));
}

TEST_CASE("a folder stands for its dialog.json, and a window is told of") {
  dialog_file("dialog.json");
  const auto shown = run(
    {"dialog", files.path().string(), "--format", "openai", "--window", "15"});
  CHECK(shown.code == 0);
  const auto body = parse_json(shown.out);
  REQUIRE(body);
  CHECK(body->at("messages").as_array().size() == 2);
  CHECK_THAT(shown.err, Contains("1 older message"));
  const auto as_json = run({"dialog", files.path().string(), "--window", "15",
                            "--format", "native", "--json"});
  CHECK(as_json.err.empty());
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("left_out") == 1);
  CHECK(document->at("body").at("messages").as_array().size() == 2);
}

TEST_CASE("a dialog is printed as a transcript, and as its document in JSON") {
  const run_fixture at{answers};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  const auto read = run({"dialog", at.out});
  CHECK(read.code == 0);
  CHECK(read.err.empty());
  CHECK_THAT(read.out, StartsWith("user  2026-01-01T00:00:00.000Z\n    ")
                         && Contains("\n\nann  2026-01-01T00:00:00.000Z\n"
                                     "    echo: "));
  const auto document = parse_json(run({"dialog", at.out, "--json"}).out);
  REQUIRE(document);
  CHECK(*document == parse_json(read_bytes(at.out + "/dialog.json")));
  CHECK(run({"dialog", at.out, "--format", "native"}).out
        == run({"dialog", at.out, "--json"}).out);
}

TEST_CASE("a transcript changes no terminal") {
  const auto file = write("hostile.json", R"({
    "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
    "dialog_id": "eb4d649d-66b2-4088-a554-e95b11e4b529",
    "context_id": "aafaf84b-afd8-48d3-87f3-36da84c6a400",
    "status": "active", "messages": [
      {"role": "user", "content": "one\n\ntwo\u001b[2J\n",
       "timestamp": "2025-12-07T00:00:00.000Z"}]})");
  const auto read = run({"dialog", file});
  CHECK(read.code == 0);
  CHECK_THAT(read.out, StartsWith("user  2025-12-07T00:00:00.000Z\n    one\n\n"
                                  "    two"));
  CHECK(read.out.find('\x1b') == std::string::npos);
}

TEST_CASE("a Dialog in the form of the first descriptions is taken, noted") {
  const auto file = write("first.json", R"({
    "meta": {"protocolVersion": "1.0.0", "source": "agent"},
    "dialog_id": "dialog-550e8400-e29b-41d4-a716-446655440002",
    "context_id": "ctx-123", "thread_id": "thread-001",
    "status": "active", "messages": [
      {"role": "user", "content": "Why?",
       "timestamp": "2025-12-07T00:00:00.000Z"}]})");
  const auto shown = run({"dialog", file, "--format", "openai"});
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Contains("Why?"));
  CHECK_THAT(shown.err, Contains("first.json: /meta/protocolVersion: taken as "
                                 "protocol_version"));
  // A thread has the name that the document gives it.
  CHECK(run({"dialog", file, "--thread", "thread-001", "-q"}).code == 0);
  CHECK(run({"dialog", file, "--thread", "thread-002", "-q"}).code == 2);
  const auto as_json = run({"dialog", file, "--format", "native", "--json"});
  CHECK(as_json.err.empty());
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("notes").as_array().size() >= 4);
  const auto chat = run({"export", file, "--format", "openai"});
  CHECK(chat.code == 0);
  CHECK(chat.out == shown.out);
  const auto quiet = run({"export", file, "--format", "openai", "--quiet"});
  CHECK(quiet.err.empty());
}

TEST_CASE("export writes a dialog as a chat too") {
  const auto dialog = dialog_file("dialog.json");
  const auto chat = run({"export", dialog, "--format", "anthropic"});
  CHECK(chat.code == 0);
  CHECK(parse_json(chat.out) == parse_json(read_bytes(chat_file())));
  const auto openai = run({"export", dialog, "--format", "openai"});
  CHECK(openai.out == run({"dialog", dialog, "--format", "openai"}).out);
}

TEST_CASE("the dialogs of many sessions are exported apart, and shown singly") {
  const run_fixture at{answers};
  REQUIRE(at.run_with({"--instances", "2", "--seed", "1"}).code == 0);
  const auto which = run({"dialog", at.out});
  CHECK(which.code == 2);
  CHECK_THAT(which.err, Contains("has the dialogs of 2 sessions: name the "
                                 "folder of one, such as "
                                 + at.out + "/sessions/"));
  CHECK(run({"dialog", "pause", at.out}).code == 2);
  CHECK(run({"export", at.out, "--format", "openai"}).code == 2);
  const auto chats = at.folder / "chats";
  REQUIRE(
    run({"export", at.out, "--format", "openai", "--out", chats.string()}).code
    == 0);
  std::size_t found = 0;
  for (const auto& session :
       std::filesystem::directory_iterator{at.out + "/sessions"}) {
    ++found;
    const auto name = session.path().filename().string() + ".json";
    CHECK(
      read_bytes(chats / name)
      == run({"dialog", session.path().string(), "--format", "openai"}).out);
  }
  CHECK(found == 2);
  // One that is left is the one that is meant.
  const auto first = *std::filesystem::directory_iterator{at.out + "/sessions"};
  std::filesystem::remove_all(first.path());
  CHECK(run({"dialog", at.out}).code == 0);
}

TEST_CASE("what cannot be shown is told with file and place") {
  const auto dialog = dialog_file("dialog.json");
  const auto no_thread = run({"dialog", dialog, "--thread", "t"});
  CHECK(no_thread.code == 2);
  CHECK_THAT(no_thread.err, Contains("\"t\""));
  CHECK(run({"dialog", dialog, "--window", "-3"}).code == 2);
  CHECK_THAT(run_verbosely({"dialog", dialog, "--window", "1"}).err,
             Contains("window_tokens"));
  const auto chat = run({"dialog", chat_file()});
  CHECK(chat.code == 2);
  CHECK_THAT(chat.err, Contains("chat.json"));
  const auto numbers = write("numbers.json",
                             R"([{"role":"user","content":1}])");
  CHECK_THAT(run({"dialog", numbers, "--from", "openai"}).err,
             Contains("numbers.json: /0/content"));
}

TEST_CASE("a transcript in lines is one dialog, and its losses are one line") {
  const auto* const lines
    = "\n"
      R"({"role":"user","content":[{"type":"text","text":"Look."},)"
      R"({"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]})"
      "\r\n\n"
      R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1",)"
      R"("type":"function","function":{"name":"look","arguments":"{}"}}]})"
      "\n"
      R"({"role":"tool","tool_call_id":"c1","content":"a lake"})";
  for (const auto* name : {"talk.jsonl", "talk.json"}) {
    const auto file = write(name, lines);
    const auto made = run({"dialog", file, "--from", "openai"});
    CHECK(made.code == 0);
    CHECK_THAT(made.out, Contains("Look.\\n[image data:image/png;base64, 26 "
                                  "bytes, sha256 "));
    CHECK_THAT(made.out, Contains("[tool result c1]\\na lake"));
    CHECK_THAT(made.out, !Contains("QUJD"));
    CHECK(made.err
          == "convene: " + file
               + ": kept as text: image (1), tool call (1), tool result (1); "
                 "not kept: data of image (1)\n");
    const auto dialog = write("made.json", made.out);
    CHECK(run({"validate", dialog, "--schema", "dialog"}).code == 0);
    const auto as_json = run({"dialog", file, "--from", "openai", "--json"});
    CHECK(as_json.err.empty());
    const auto body = parse_json(as_json.out);
    REQUIRE(body);
    CHECK(body->at("notes").as_array().size() == 1);
  }
}

TEST_CASE("chats in lines are joined, and a fault has its line") {
  const auto one = R"({"messages":[{"role":"user","content":"a"}]})"
                   "\n";
  const auto joined
    = run({"dialog", write("examples.jsonl", std::string{one} + one), "--from",
           "openai", "--format", "openai"});
  CHECK(joined.code == 0);
  const auto body = parse_json(joined.out);
  REQUIRE(body);
  CHECK(body->at("messages").as_array().size() == 2);
  CHECK_THAT(joined.err, Contains("2 chats joined into one dialog"));
  const auto wrong
    = run({"dialog",
           write("wrong.jsonl", std::string{one}
                                  + "\n"
                                    R"({"messages":[{"role":"critic"}]})"
                                    "\n"),
           "--from", "openai"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("wrong.jsonl:3:1: /messages/0/role: "));
  const auto cut
    = run({"dialog", write("cut.jsonl", std::string{one} + R"({"me)"), "--from",
           "openai"});
  CHECK(cut.code == 2);
  CHECK_THAT(cut.err, Contains("cut.jsonl:2:"));
}
