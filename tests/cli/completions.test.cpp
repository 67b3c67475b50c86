#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

using namespace convene::tests;
using Catch::Contains;
namespace json = boost::json;

namespace {

using words = std::set<std::string>;

words words_of(const std::string& text) {
  std::istringstream in{text};
  return {std::istream_iterator<std::string>{in}, {}};
}

json::object table() {
  static const auto made = [] {
    const auto help = run({"help", "--json"});
    REQUIRE(help.code == 0);
    return convene::protocol::parse_json(help.out).value().as_object();
  }();
  return made;
}

using visitor = std::function<void(const json::object&, const std::string&)>;

void visit(const json::object& command, const std::string& path,
           const visitor& each) {
  each(command, path);
  for (const auto& below : command.at("commands").as_array()) {
    const std::string name{below.at("name").as_string()};
    visit(below.as_object(), path.empty() ? name : path + ' ' + name, each);
  }
}

words option_names(const json::object& command) {
  words made;
  for (const auto& option : command.at("options").as_array())
    for (const auto& name : option.at("names").as_array())
      made.emplace(name.as_string());
  return made;
}

words command_names(const json::object& command) {
  words made;
  for (const auto& below : command.at("commands").as_array())
    made.emplace(below.at("name").as_string());
  return made;
}

finished run_with(std::vector<std::string> command,
                  const std::vector<std::string>& arguments) {
  return program{arguments, {}, std::move(command)}.wait();
}

std::string script_of(const char* shell, const scratch_folder& files) {
  const auto made = run({"completions", shell});
  REQUIRE(made.code == 0);
  CHECK(made.err.empty());
  const auto file = (files / shell).string();
  write_bytes(file, made.out);
  return file;
}

/// What bash offers for the last of the words.
words completed(const std::string& script, std::vector<std::string> line) {
  line.insert(line.begin(), {"-c",
                             "source \"$0\"; COMP_WORDS=(convene \"$@\"); "
                             "COMP_CWORD=$#; _convene; "
                             "printf '%s\\n' \"${COMPREPLY[@]}\"",
                             script});
  const auto done = run_with({"/bin/bash"}, line);
  CHECK(done.err.empty());
  return words_of(done.out);
}

bool is_there(const char* name) {
  return std::filesystem::exists(std::filesystem::path{"/usr/bin"} / name);
}

} // namespace

TEST_CASE("help in JSON has every command and option of the help") {
  std::size_t commands = 0;
  visit(table(), "", [&](const json::object& command, const std::string& path) {
    ++commands;
    std::vector<std::string> line{"help"};
    std::istringstream names{path};
    for (std::string name; names >> name;)
      line.push_back(name);
    const auto page = run(line);
    INFO(path);
    REQUIRE(page.code == 0);
    words shown;
    std::istringstream lines{page.out};
    for (std::string one; std::getline(lines, one);)
      if (one.starts_with("  -"))
        for (auto name : words_of(one.substr(0, one.find("  ", 2)))) {
          if (name.ends_with(','))
            name.pop_back();
          if (name.starts_with('-') && name.size() > 1)
            shown.insert(name);
        }
    CHECK(shown == option_names(command));
    CHECK_THAT(page.out,
               Contains(std::string{command.at("usage").as_string()}));
  });
  CHECK(commands > 40);
  const auto one = run({"run", "--help", "--json"});
  REQUIRE(one.code == 0);
  CHECK(convene::protocol::parse_json(one.out).value().at("name") == "run");
}

TEST_CASE("every command and option is in the completions of each shell") {
  const scratch_folder files;
  const auto bash = script_of("bash", files);
  const auto zsh = read_bytes(script_of("zsh", files));
  const auto fish = read_bytes(script_of("fish", files));
  visit(table(), "", [&](const json::object& command, const std::string& path) {
    INFO(path);
    const auto of = run_with({"/bin/bash"},
                             {"-c",
                              "source \"$0\"; _convene_of \"$1\"; "
                              "echo \"$commands\" >&2; echo \"$flags $valued\"",
                              bash, path});
    auto names = command_names(command);
    if (path.empty())
      names.insert("help");
    CHECK(words_of(of.err) == names);
    CHECK(words_of(of.out) == option_names(command));
    const auto at = "-n '__convene_at \\'" + path + "\\''";
    for (const auto& name : names) {
      CHECK_THAT(zsh, Contains("'" + name + ":"));
      CHECK_THAT(fish, Contains(at + " -a '" + name + "'"));
    }
    for (const auto& name : option_names(command)) {
      CHECK_THAT(zsh, Contains("'" + name + ":"));
      if (name.starts_with("--"))
        CHECK_THAT(fish, Contains(at + " -l " + name.substr(2) + ' '));
    }
  });
}

TEST_CASE("bash completes commands, options and what an option is one of") {
  const scratch_folder files;
  const auto script = script_of("bash", files);
  CHECK(completed(script, {"re"}) == words{"recommend", "replay", "resume"});
  CHECK(completed(script, {"help", "ru"}) == words{"run"});
  CHECK(completed(script, {"run", "--se"}) == words{"--seed", "--set"});
  CHECK(completed(script, {"new", "x", "--mode", ""})
        == words{"broadcast", "round_robin", "orchestrated", "swarm", "pair"});
  CHECK(completed(script, {"new", "x", "--mode", "=", "pa"}) == words{"pair"});
  CHECK(completed(script, {"new", "--template", "s"})
        == words{"swarm", "simulation"});
  CHECK(completed(script, {"completions", ""}) == words{"bash", "zsh", "fish"});
  CHECK(completed(script, {"keys", ""}).contains("new"));
  CHECK(!completed(script, {"keys", ""}).contains("run"));
  // A value with the name of a command does not choose that command.
  CHECK(completed(script, {"--log-level", "info", "ru"}) == words{"run"});
  CHECK(completed(script, {"run", "--out", "resume", "--see"})
        == words{"--seed"});
  CHECK(completed(script, {"dialog", "resume", "--ev"}) == words{"--events"});
  CHECK(completed(script, {"run", "--out", ""}).empty()); // files
}

TEST_CASE("zsh and fish read their completions") {
  const scratch_folder files;
  const auto zsh = script_of("zsh", files);
  const auto fish = script_of("fish", files);
  if (is_there("zsh"))
    CHECK(run_with({"/usr/bin/zsh"}, {"-n", zsh}).code == 0);
  else
    WARN("zsh is not installed");
  if (!is_there("fish")) {
    WARN("fish is not installed");
    return;
  }
  const auto offers = [&](const std::string& line) {
    const auto done = run_with(
      {"/usr/bin/env", "HOME=" + files.path().string(), "fish"},
      {"--no-config", "-c",
       "source " + fish + "; complete -C '" + line + "' | cut -f 1"});
    return words_of(done.out);
  };
  CHECK(offers("convene re") == words{"recommend", "replay", "resume"});
  CHECK(offers("convene new --mode p") == words{"pair"});
  CHECK(offers("convene run --se") == words{"--seed", "--set"});
  CHECK(offers("convene keys n") == words{"new"});
  CHECK(offers("convene dialog resume --ev") == words{"--events"});
}

TEST_CASE("each command has a man page with all of its options") {
  const scratch_folder files;
  const auto folder = files / "man";
  const auto made = run_with({"/usr/bin/python3"},
                             {CONVENE_SOURCE_DIR "/cmake/man.py",
                              CONVENE_PROGRAM, folder.string()});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const auto program = table();
  const auto program_page = read_bytes(folder / "convene.1");
  for (const auto& each : program.at("commands").as_array()) {
    const std::string name{each.at("name").as_string()};
    const auto page = read_bytes(folder / ("convene-" + name + ".1"));
    INFO(name);
    visit(each.as_object(), name,
          [&](const json::object& command, const std::string&) {
            for (const auto& option : command.at("options").as_array()) {
              if (option.as_object().contains("common"))
                continue;
              for (const auto& one : option.at("names").as_array()) {
                std::string escaped;
                for (const char c : std::string{one.as_string()})
                  escaped += c == '-' ? "\\-" : std::string(1, c);
                CHECK_THAT(page, Contains("\\fB" + escaped + "\\fR"));
              }
            }
          });
  }
  CHECK_THAT(program_page, Contains("\\fBconvene\\-run\\fR(1)"));
  for (const auto& page : std::filesystem::directory_iterator{folder}) {
    const auto file = page.path().string();
    if (is_there("mandoc")) {
      const auto lint = run_with({"/usr/bin/mandoc"},
                                 {"-T", "lint", "-W", "warning", file});
      INFO(lint.out << lint.err);
      CHECK(lint.code == 0);
    }
    if (is_there("groff")) {
      const auto read = run_with({"/usr/bin/groff"},
                                 {"-man", "-Tutf8", "-ww", file});
      CHECK(read.code == 0);
      CHECK(read.err.empty());
    }
  }
}
