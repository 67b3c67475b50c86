#include <attack/sandbox/cage.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <system_error>

namespace convene::test {

folder_of_test::folder_of_test(unsigned mode) {
  std::string made = "/tmp/convene-attack-XXXXXX";
  REQUIRE(mkdtemp(made.data()) != nullptr);
  REQUIRE(chmod(made.c_str(), mode) == 0);
  path_ = made;
}

folder_of_test::~folder_of_test() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path folder_of_test::add(const std::string& name,
                                          const std::string& content) const {
  auto file = path_ / name;
  std::ofstream{file} << content;
  REQUIRE(chmod(file.c_str(), 0755) == 0);
  return file;
}

cage::cage() : by{.bwrap = "/usr/bin/bwrap", .setpriv = "/usr/bin/setpriv"} {
  if (const auto can = host::check_sandbox(by, all); !can) {
    // It must not be convene's own fault.
    const auto plain = run(all, mine.shell("bwrap --unshare-all --ro-bind / / "
                                           "--dev /dev --proc /proc true"));
    FAIL((plain.end.code.empty() ? "bubblewrap works, but: "
                                 : "this machine has no sandbox: ")
         << can.error().message);
  }
  REQUIRE(host::give_to_confined_user(folder()));
}

std::string cage::python(const std::string& script,
                         std::vector<std::string> arguments) {
  auto what = mine.python(script);
  what.working_folder = folder();
  what.arguments.insert(what.arguments.end(), arguments.begin(),
                        arguments.end());
  const auto confined = host::confine(what, by);
  INFO((confined ? std::string{} : confined.error().message));
  REQUIRE(confined);
  const auto how = run(all, *confined);
  return how.end.code.empty() ? how.output : how.output + how.end.message;
}

} // namespace convene::test
