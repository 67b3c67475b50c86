#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <sstream>
#include <string>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace json = boost::json;

namespace {

/// `convene mcp` with "$@" as a coprocess of bash: `ask` sends a line and
/// prints the next one that comes.
constexpr const char* talk = R"(
export TMPDIR=$(mktemp -d)
trap "rm -rf \"$TMPDIR\"" EXIT
coproc mcp { exec "$0" mcp "$@"; }
out=${mcp[0]} in=${mcp[1]} server=$mcp_PID
ask() { printf '%s\n' "$1" >&$in; IFS= read -r line <&$out; printf '%s\n' "$line"; }
finish() { eval "exec $in>&-"; cat <&$out; wait $server; }
)";

std::string call_of(const std::string& tool, const std::string& arguments) {
  return R"(ask '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")"
         + tool + R"(","arguments":)" + arguments + "}}'\n";
}

/// What it has sent, line by line.
std::vector<json::value> lines_of(const finished& run) {
  INFO(run.err);
  std::vector<json::value> made;
  std::istringstream lines{run.out};
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    const auto value = parse_json(line);
    REQUIRE(value);
    CHECK(value->at("jsonrpc") == "2.0");
    made.push_back(*value);
  }
  return made;
}

const json::value& content_of(const json::value& answer) {
  REQUIRE(answer.at("result").at("isError") == false);
  return answer.at("result").at("structuredContent");
}

} // namespace

TEST_CASE("mcp runs a session for an agent and explains it, then ends") {
  const auto run = run_shell(
    std::string{talk}
      + R"(ask '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}'
ask 'this is no message'
)" + call_of("run_session", R"({"path":"debugging-pair"})")
      + R"(id=$(grep -o '[0-9a-f-]\{36\}' <<<"$line" | head -1)
)" + R"(ask "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"explain\",\"arguments\":{\"session_id\":\"$id\"}}}"
finish)",
    {"--scenarios", examples_folder});
  CHECK(run.code == 0);
  const auto lines = lines_of(run);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].at("result").at("protocolVersion") == "2025-11-25");
  CHECK(lines[1].at("error").at("code") == -32700);
  CHECK(content_of(lines[2]).at("status") == "completed");
  const auto& told = lines[3].at("result").at("content").at(0).at("text");
  CHECK_THAT(std::string{told.as_string()}, Contains("The pool hangs"));
}

TEST_CASE("mcp compares modes, and says which cannot run the scenario") {
  const auto compare = [](const std::string& arguments) {
    const auto run = run_shell(
      std::string{talk} + call_of("compare_modes", arguments) + "finish",
      {"--scenarios", examples_folder});
    CHECK(run.code == 0);
    return lines_of(run).at(0);
  };
  const auto all
    = content_of(compare(R"({"path":"debugging-pair","seeds":3})"));
  CHECK(all.at("complete") == true);
  CHECK(all.at("points").as_array().size() == 4);
  CHECK(all.at("runs") == 12);
  REQUIRE(all.at("refused").as_array().size() == 1);
  CHECK(all.at("refused").at(0).at("mode") == "orchestrated");

  // A simulation reaches no model, so it needs a stand-in.
  const std::string with_model
    = R"({"modes":["round_robin"],"seeds":2,"scenario":{"convene":"1","collab":{
      "title":"T","purpose":"P","mode":"round_robin","participants":[
        {"participant_id":"a","kind":"agent","role_id":"r"},
        {"participant_id":"b","kind":"agent","role_id":"r"}]},
      "task":"t","session":{"rounds":1},"behaviours":{"*":{"type":"echo"},
        "a":{"type":"llm","provider":"openai","base_url":"http://127.0.0.1:1/v1",
             "model":"m"}}})";
  std::string one_line;
  for (const char c : with_model)
    if (c != '\n')
      one_line += c;
  const auto refused = compare(one_line + '}');
  CHECK(refused.at("result").at("isError") == true);
  CHECK_THAT(
    std::string{
      refused.at("result").at("content").at(0).at("text").as_string()},
    Contains("no_mode_runs") && Contains("stand-in"));
  CHECK(content_of(
          compare(one_line + R"(,"stand_ins":{"a":{"type":"simulated"}}})"))
          .at("runs")
        == 2);
}

TEST_CASE("mcp leaves its sessions to the next start on the same data") {
  const scratch_folder folder;
  const std::vector<std::string> data{"--data", (folder / "data").string()};
  const std::string scenario
    = R"({"wait_ms":60000,"scenario":{"convene":"1","collab":{"title":"T","purpose":"P",)"
      R"("mode":"round_robin","participants":[)"
      R"({"participant_id":"a","kind":"agent","role_id":"r"},)"
      R"({"participant_id":"ana","kind":"human","role_id":"r"}]},"task":"t",)"
      R"("session":{"rounds":1},"behaviours":{"*":{"type":"echo"},"ana":{"type":"human"}}}})";
  const auto first = run_shell(
    std::string{talk} + call_of("run_session", scenario) + "finish", data);
  CHECK(first.code == 0);
  const auto begun = content_of(lines_of(first).at(0));
  const std::string token{begun.at("questions").at(0).at("token").as_string()};
  const std::string id{begun.at("session_id").as_string()};
  const auto second
    = run_shell(std::string{talk}
                  + call_of("answer_question",
                            R"({"token":")" + token + R"(","content":"yes"})")
                  + call_of("session_status",
                            R"({"session_id":")" + id + R"(","wait_ms":60000})")
                  + "finish",
                data);
  CHECK(second.code == 0);
  CHECK(content_of(lines_of(second).at(1)).at("status") == "completed");
  CHECK(run({"check", (folder / "data").string()}).code == 0);
}

TEST_CASE("mcp ends by a signal, and leaves nothing in a folder of its own") {
  const scratch_folder folder;
  const auto run = run_shell(
    std::string{talk} + R"sh(ask '{"jsonrpc":"2.0","id":1,"method":"ping"}'
test -n "$(ls "$TMPDIR")" || exit 9
kill -TERM $server; wait $server; code=$?
test -z "$(ls -A "$TMPDIR")" || exit 8
exit $code)sh",
    {});
  CHECK(run.code == 0);
}

TEST_CASE("mcp ends when its terminal is gone, and leaves nothing") {
  const auto run = run_shell(
    std::string{talk} + R"sh(ask '{"jsonrpc":"2.0","id":1,"method":"ping"}'
kill -HUP $server; wait $server; code=$?
test -z "$(ls -A "$TMPDIR")" || exit 8
exit $code)sh",
    {});
  CHECK(run.code == 0);
}

TEST_CASE("mcp removes the folder of one that was killed, and of no other") {
  const auto run = run_shell(
    std::string{talk} + R"sh(ask '{"jsonrpc":"2.0","id":1,"method":"ping"}'
running=$(echo "$TMPDIR"/convene-mcp.*)
test -e "$running/.convene-mcp-temporary" || exit 4
cd "$TMPDIR"
for each in Killed Young1 sessions; do
  mkdir convene-mcp.$each; cp "$running/.convene-mcp-temporary" convene-mcp.$each
done
mkdir others convene-mcp.backup convene-mcp.MyData convene-mcp.Edited
cp convene-mcp.Killed/.convene-mcp-temporary others
echo more >convene-mcp.Edited/.convene-mcp-temporary
ln -s others convene-mcp.Linked
touch convene-mcp.{Killed,backup,MyData}/file
touch -d '2 minutes ago' "$running" others convene-mcp.{Killed,sessions,backup,MyData,Edited}
touch -h -d '2 minutes ago' convene-mcp.Linked
"$0" mcp </dev/null || exit 7
test -d "$running" -a -d others -a -L convene-mcp.Linked || exit 6
for each in Young1 sessions backup MyData Edited; do
  test -d convene-mcp.$each || exit 5
done
test ! -e convene-mcp.Killed || exit 3
cd /
finish)sh",
    {});
  CHECK(run.code == 0);
}

TEST_CASE("mcp never removes a folder that --data has named") {
  const auto run = run_shell(
    std::string{talk} + R"sh(ask '{"jsonrpc":"2.0","id":1,"method":"ping"}'
running=$(echo "$TMPDIR"/convene-mcp.*)
cd "$TMPDIR"
mkdir convene-mcp.Rescue
cp "$running/.convene-mcp-temporary" convene-mcp.Rescue
for each in convene-mcp.sessions convene-mcp.Rescue/; do
  "$0" mcp --data "$TMPDIR/$each" </dev/null || exit 7
  touch -d '2 minutes ago' $each
done
"$0" mcp </dev/null || exit 6
test -d convene-mcp.sessions -a -d convene-mcp.Rescue || exit 5
cd /
finish)sh",
    {});
  CHECK(run.code == 0);
}

TEST_CASE("mcp ends when a client has left that reads no answer") {
  // More answers than one pipe takes, of requests that fit into another.
  const auto run = run_shell(R"sh(export TMPDIR=$(mktemp -d)
trap 'rm -rf "$TMPDIR"' EXIT
mkfifo "$TMPDIR/answers"
exec 9<>"$TMPDIR/answers"
for ((i = 0; i < 2200; ++i)); do
  echo '{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}'
done | "$0" mcp >"$TMPDIR/answers" 9>&-
)sh",
                             {});
  CHECK(run.code == 0);
}

TEST_CASE("without a folder for temporary files mcp needs --data") {
  const scratch_folder folder;
  const auto started = [&](const std::vector<std::string>& arguments) {
    return program{arguments,
                   {},
                   {"/usr/bin/env", "TMPDIR=" + (folder / "none").string(),
                    CONVENE_PROGRAM}}
      .wait();
  };
  const auto refused = started({"mcp"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("set TMPDIR to another one"));
  CHECK(started({"mcp", "--data", (folder / "data").string()}).code == 0);
}

TEST_CASE("what mcp cannot start with is an error and no protocol") {
  const scratch_folder folder;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"mcp", "--scenarios", "/no/such/folder"},
        {"mcp", "--allow", "everything"},
        {"mcp", "--keys", "keys.json"},
        {"mcp", "--listen", "0.0.0.0:0"}}) {
    const auto made = run(arguments);
    CHECK(made.code == 2);
    CHECK(made.out.empty());
    CHECK(!made.err.empty());
  }
}
