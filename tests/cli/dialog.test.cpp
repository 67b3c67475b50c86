#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
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
  const auto as_json
    = run({"dialog", files.path().string(), "--window", "15", "--json"});
  CHECK(as_json.err.empty());
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  CHECK(document->at("left_out") == 1);
  CHECK(document->at("body").at("messages").as_array().size() == 2);
}

TEST_CASE("export writes a dialog as a chat too") {
  const auto dialog = dialog_file("dialog.json");
  const auto chat = run({"export", dialog, "--format", "anthropic"});
  CHECK(chat.code == 0);
  CHECK(parse_json(chat.out) == parse_json(read_bytes(chat_file())));
  const auto openai = run({"export", dialog, "--format", "openai"});
  CHECK(openai.out == run({"dialog", dialog, "--format", "openai"}).out);
}

TEST_CASE("what cannot be shown is told with file and place") {
  const auto dialog = dialog_file("dialog.json");
  const auto no_thread = run({"dialog", dialog, "--thread", "t"});
  CHECK(no_thread.code == 2);
  CHECK_THAT(no_thread.err, Contains("\"t\""));
  CHECK(run({"dialog", dialog, "--window", "-3"}).code == 2);
  CHECK_THAT(run({"dialog", dialog, "--window", "1"}).err,
             Contains("window_tokens"));
  const auto chat = run({"dialog", chat_file()});
  CHECK(chat.code == 2);
  CHECK_THAT(chat.err, Contains("chat.json"));
  const auto picture = write(
    "picture.json", R"([{"role":"user","content":[{"type":"image"}]}])");
  CHECK_THAT(run({"dialog", picture, "--from", "openai"}).err,
             Contains("picture.json: /0/content/0/type"));
}
