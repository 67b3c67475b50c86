// Several runs that want the same folder.

#include "run_fixture.hpp"

#include <sys/file.h>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// Somebody who has taken a folder.
class holder {
public:
  explicit holder(const std::string& folder)
    : descriptor_{::open(folder.c_str(), O_RDONLY | O_DIRECTORY)} {
    REQUIRE(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0);
  }

  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;

  ~holder() {
    ::close(descriptor_);
  }

private:
  int descriptor_;
};

} // namespace

TEST_CASE("a run writes nothing into a folder that another one has taken") {
  const run_fixture at{answers};
  fs::create_directory(at.out);
  {
    const holder other{at.out};
    const auto refused = at.run_with();
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("another run is writing this folder"));
    CHECK(fs::is_empty(at.out));
  }
  CHECK(at.run_with().code == 0);
  {
    const holder other{at.out};
    CHECK_THAT(run({"resume", at.out}).err,
               Contains("another run is writing this folder"));
  }
  CHECK(run({"resume", at.out}).code == 0);
}
