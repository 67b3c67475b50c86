// What happens where the system gives too little. Under a sanitizer a program
// takes far more, so there these limits say nothing.

#include "run_fixture.hpp"

#include <cstdlib>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A run under limits of the shell, as `ulimit` takes them.
finished run_limited(const run_fixture& at, const std::string& limit,
                     const std::string& more = {}) {
  const auto err = (at.folder / "err").string();
  const auto command = "ulimit " + limit + " && exec " CONVENE_PROGRAM " run "
                       + at.scenario + " --quiet --out " + at.out + ' ' + more
                       + " >/dev/null 2>" + err;
  const int status = std::system(command.c_str());
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status)
                                    : 128 + WTERMSIG(status),
          .err = read_bytes(err)};
}

} // namespace

TEST_CASE("a run that cannot have its threads says so, and leaves nothing") {
  const run_fixture at{answers};
  const auto refused = run_limited(at, "-v 1500000", "--threads 400");
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("threads") && Contains("ulimit"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("a run that has too little memory for its threads ends as an error") {
  const run_fixture at{answers};
  // Some limits are too low for the program to be loaded at all.
  const auto limit = GENERATE(100'000, 150'000, 200'000, 300'000);
  const auto ended = run_limited(at, "-v " + std::to_string(limit),
                                 "--threads 16");
  CAPTURE(limit, ended.err);
  CHECK((ended.code == 0 || ended.code == 3 || ended.code == 127));
  CHECK(fs::exists(at.out) == (ended.code == 0));
}

TEST_CASE("a limit for the stack that is too low is raised, or is an error") {
  const run_fixture at{answers};
  const auto limit = GENERATE("-s 64", "-S -s 64", "-s 512", "-s 1024");
  const auto ended = run_limited(at, limit);
  CAPTURE(limit, ended.err);
  CHECK((ended.code == 0 || ended.code == 3));
  if (ended.code == 3)
    CHECK_THAT(ended.err, Contains("ulimit -s"));
  CHECK(fs::exists(at.out) == (ended.code == 0));
}

#endif
