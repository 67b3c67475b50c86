#include <catch2/catch.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using namespace convene::host;

/// A folder of its own that goes with the test.
class folder {
public:
  folder() {
    std::string name = fs::temp_directory_path() / "convene-allow-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;

  fs::path path;
};

permissions allowing(std::initializer_list<std::string> texts) {
  permissions made;
  for (const auto& text : texts)
    REQUIRE(made.allow(text));
  return made;
}

need runs(const std::string& name) {
  return {.what = need::kind::run, .name = name, .program = find_program(name)};
}

need reaches(const std::string& host, std::uint16_t port) {
  return {.what = need::kind::net, .where = {host, port}};
}

need sends(const std::string& name, const std::string& host,
           std::uint16_t port) {
  return {.what = need::kind::env, .name = name, .where = {host, port}};
}

/// The message with which a command line is refused; empty: it is not.
std::string refusal_of(const std::vector<std::string>& texts) {
  permissions made;
  const auto done = made.allow_all(texts);
  CHECK((done || done.error().code == convene::protocol::errc::usage));
  return done ? "" : done.error().message;
}

} // namespace

TEST_CASE("a variable's value goes to the hosts that it is bound to only") {
  const auto allowed
    = allowing({"env=A@Api.Example.:443,A@[0:0::1],B@b.example", "net",
                "net=b.example", "run"});
  CHECK(allowed.may_send("A", {"api.example", 443}));
  CHECK(allowed.may_send("A", endpoint_of("api.example.", 443)));
  CHECK(allowed.may_send("A", endpoint_of("[::1]", 9)));
  CHECK(allowed.may_send("A", endpoint_of("[0000::0:1]", 9)));
  CHECK(allowed.may_send("B", {"b.example", 1}));
  for (const auto& where :
       {endpoint_of("api.example", 444), endpoint_of("b.example", 443),
        endpoint_of("x.api.example", 443), endpoint_of("api.example..", 443),
        endpoint_of("127.0.0.1", 443), endpoint_of("localhost", 443),
        endpoint_of("[::ffff:127.0.0.1]", 443), endpoint_of("", 443)})
    CHECK_FALSE(allowed.may_send("A", where));
  CHECK_FALSE(allowed.may_send("B", {"api.example", 443}));
  CHECK_FALSE(allowed.may_send("a", {"api.example", 443}));
  CHECK_FALSE(allowed.may_send("", {"api.example", 443}));
  // A program would send it where it likes.
  CHECK_FALSE(allowed.may_read_variable("A"));
}

TEST_CASE(
  "a variable without a host is for programs, and for the host if there "
  "is exactly one") {
  const auto one = allowing({"env=KEY", "net=a.example:80"});
  CHECK(one.may_read_variable("KEY"));
  CHECK(one.may_send("KEY", {"a.example", 80}));
  CHECK_FALSE(one.may_send("KEY", {"a.example", 81}));
  CHECK_FALSE(one.may_send("KEY", {"b.example", 80}));
  CHECK(allowing({"env=KEY", "net=a.example", "net=a.example:80,A.example.:81"})
          .may_send("KEY", {"a.example", 82}));
  for (const auto* net : {"net", "net=b.example:80", "net=a.example:81"}) {
    CAPTURE(net);
    const auto several = allowing({"env=KEY", "net=a.example:80", net});
    CHECK(several.may_read_variable("KEY"));
    CHECK_FALSE(several.may_send("KEY", {"a.example", 80}));
    CHECK_FALSE(several.may_send("KEY", {"b.example", 80}));
  }
}

TEST_CASE(
  "a variable without a host is refused where several could get it, with "
  "the forms that work") {
  CHECK(refusal_of({"env=KEY"}).empty());
  CHECK(refusal_of({"env=KEY", "net=a.example"}).empty());
  CHECK(refusal_of({"env=KEY", "net=a.example", "net=b.example", "run=sh"})
          .empty());
  CHECK(refusal_of({"env=KEY@a.example", "net"}).empty());
  CHECK(refusal_of({"env=KEY", "net"}) == refusal_of({"net", "env=KEY"}));
  CHECK_THAT(refusal_of({"env=KEY", "net"}),
             Catch::Contains("--allow env=KEY@HOST:PORT"));
  for (const auto* other : {"net=b.example:1", "net"})
    CHECK_THAT(refusal_of(
                 {"env=KEY@b.example", "env=KEY", "net=a.example:1", other}),
               Catch::Contains("--allow env=KEY@a.example:1"));
  CHECK_THAT(refusal_of({"env=sk-abc@a.example"}), !Catch::Contains("sk-abc"));
  CHECK_THAT(refusal_of({"env=KEY@http://a.example"}),
             Catch::Contains("write the host alone"));
  for (const auto* wrong : {"env=KEY@", "env=@a", "env=KEY@a:0", "env=K@a@b"})
    CHECK_FALSE(refusal_of({wrong}).empty());
}

TEST_CASE("nothing is allowed by default") {
  const permissions none;
  CHECK_FALSE(none.may_run(find_program("sh")));
  CHECK_FALSE(none.may_reach({"example.org", 443}));
  CHECK_FALSE(none.may_read_variable("HOME"));
  CHECK_FALSE(none.may_read("/etc/passwd"));
  CHECK_FALSE(none.may_write("/tmp"));
}

TEST_CASE("a program is allowed by its file, whatever it is called by") {
  const folder here;
  fs::create_symlink(find_program("sh"), here.path / "alias");
  const auto allowed = allowing({"run=sh"});
  CHECK(allowed.may_run(find_program("sh")));
  CHECK(allowed.may_run(find_program((here.path / "alias").string())));
  CHECK_FALSE(allowed.may_run(find_program("cat")));
}

TEST_CASE("a file that cannot be executed is no program") {
  const folder here;
  const auto file = (here.path / "script").string();
  std::ofstream{file} << "#!/bin/sh\n";
  CHECK(find_program(file).empty());
  fs::permissions(file, fs::perms::owner_all);
  CHECK(find_program(file) == fs::canonical(file));
  CHECK(find_program(here.path.string()).empty());
  CHECK(find_program("").empty());
}

TEST_CASE("a host is allowed with one port or with all") {
  const auto allowed = allowing({"net=Example.org:8080,localhost,[::1]:80"});
  CHECK(allowed.may_reach({"example.org", 8080}));
  CHECK_FALSE(allowed.may_reach({"example.org", 443}));
  CHECK(allowed.may_reach({"localhost", 1}));
  CHECK(allowed.may_reach({"::1", 80}));
  CHECK_FALSE(allowed.may_reach({"www.example.org", 8080}));
}

TEST_CASE("net alone allows all hosts, but names none") {
  const auto allowed = allowing({"net"});
  CHECK(allowed.may_reach({"example.org", 443}));
  CHECK_FALSE(allowed.is_named({"localhost", 80}));
  CHECK(allowing({"net=localhost"}).is_named({"localhost", 80}));
}

TEST_CASE("files count by where their links lead") {
  const folder inside;
  const folder outside;
  std::ofstream{outside.path / "secret"} << "x";
  fs::create_symlink(outside.path / "secret", inside.path / "link");
  const auto allowed = allowing({"read=" + inside.path.string()});
  CHECK(allowed.may_read(inside.path / "new.txt"));
  CHECK_FALSE(allowed.may_read(inside.path / "link"));
  CHECK_FALSE(allowed.may_read(inside.path / ".." / "x"));
  CHECK_FALSE(allowed.may_write(inside.path / "new.txt"));
  // A folder whose name only begins the same.
  CHECK_FALSE(allowed.may_read(inside.path.string() + "2/x"));
  CHECK(allowing({"write=" + inside.path.string()}).may_read(inside.path));
}

TEST_CASE("what is missing is told as the flags that allow it") {
  const auto checked
    = permissions{}.check({runs("sh"),
                           reaches("127.0.0.1", 8000),
                           {.what = need::kind::env, .name = "KEY"},
                           reaches("::1", 80)});
  REQUIRE_FALSE(checked);
  CHECK(checked.error().rule == "permission_needed");
  CHECK(checked.error().message
        == "this session reaches outside; to allow that, add --allow env=KEY "
           "--allow net=127.0.0.1:8000 --allow net=[::1]:80 --allow run=sh");
}

TEST_CASE("the flags that a refusal names allow the session") {
  const std::vector<need> needs{runs("sh"),
                                reaches("::1", 80),
                                {.what = need::kind::env, .name = "KEY"},
                                sends("OTHER", "::1", 80)};
  permissions allowed;
  for (const auto& each : needs)
    REQUIRE(allowed.allow(flag_for(each).substr(8)));
  CHECK(allowed.check(needs));
}

TEST_CASE("a program that is not there is told before what is not allowed") {
  const auto checked = permissions{}.check({runs("no-such-program-here")});
  REQUIRE_FALSE(checked);
  CHECK(checked.error().rule == "program_missing");
}

TEST_CASE("an --allow that is refused says what to write") {
  const auto [text, advice] = GENERATE(table<const char*, const char*>({
    {"net=https://api.openai.com/v1", "write the host alone: "
                                      "net=api.openai.com"},
    {"net=https://me:secret@a:80?x", "write the host alone: net=a:80"},
    {"run=/usr/bin", "this is a folder; name a program in it"},
    {"run=no-such-program-here", "no program of this name"},
    {"env=sk-abc123", "the name of an environment variable"},
  }));
  permissions made;
  const auto done = made.allow(text);
  REQUIRE_FALSE(done);
  CHECK_THAT(done.error().message,
             Catch::Contains(advice) && !Catch::Contains("sk-abc123"));
}

TEST_CASE("an --allow that says nothing clear is refused") {
  const auto* text
    = GENERATE("", "everything", "run=", "run=,sh", "run=no-such-program-here",
               "net=", "net=a:0", "net=a:65536", "net=a:b", "net=[::1",
               "net=[::1]8", "net=http://a", "env", "env=", "read",
               "read=no-such-folder-here", "write=/dev/null");
  CAPTURE(text);
  permissions made;
  const auto done = made.allow(text);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == convene::protocol::errc::usage);
}

TEST_CASE("a file that is not there is below the folder it would be in") {
  CHECK(is_below("no-such-file", "."));
  CHECK(is_below("no-such-folder/file", "."));
  CHECK_FALSE(is_below("../no-such-file", "."));
  CHECK_FALSE(is_below("no-such-file", "no-such-folder"));
}

TEST_CASE("hosts for sandboxed programs are a permission of their own") {
  const auto convene_only = allowing({"net", "net=api.example:443"});
  CHECK_FALSE(convene_only.programs_reach_any());
  CHECK_FALSE(convene_only.may_programs_reach({"api.example", 443}));
  const auto programs = allowing({"program-net=API.example:443,any.example"});
  CHECK(programs.programs_reach_any());
  CHECK(programs.may_programs_reach({"api.example", 443}));
  CHECK_FALSE(programs.may_programs_reach({"api.example", 80}));
  CHECK(programs.may_programs_reach({"any.example", 80}));
  CHECK_FALSE(programs.may_programs_reach({"sub.any.example", 80}));
  CHECK_FALSE(programs.may_reach({"api.example", 443}));
  for (const auto* text :
       {"program-net", "program-net=", "program-net=localhost",
        "program-net=127.0.0.1:80", "program-net=[::1]:80",
        "program-net=x.localhost", "program-net=*", "program-net=http://x"}) {
    INFO(text);
    permissions none;
    CHECK_FALSE(none.allow(text));
    CHECK_FALSE(none.programs_reach_any());
  }
}
