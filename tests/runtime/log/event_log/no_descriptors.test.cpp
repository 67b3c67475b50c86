// A log whose process has no descriptor left.

#include "trimmed_folder.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fcntl.h>
#include <sys/resource.h>

#include <cerrno>
#include <vector>

using namespace convene;
using namespace convene::host;
using namespace convene::tests;

namespace {

/// Opens all descriptors below a lower limit, until it is destroyed.
class used_descriptors {
public:
  used_descriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    auto lower = before_;
    lower.rlim_cur = 128;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &lower) == 0);
    for (;;) {
      descriptor made{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
      if (!made)
        break;
      all_.push_back(std::move(made));
    }
    REQUIRE(errno == EMFILE);
  }
  used_descriptors(const used_descriptors&) = delete;
  used_descriptors& operator=(const used_descriptors&) = delete;
  ~used_descriptors() {
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

private:
  rlimit before_{};
  std::vector<descriptor> all_;
};

} // namespace

TEST_CASE("a log needs no descriptor of others for new segments and ends of "
          "sessions") {
  const scratch_folder folder;
  const auto writer = event_log_writer::open(folder.path(),
                                             one_group_each(1'000'000));
  REQUIRE(writer);
  {
    const used_descriptors none_left;
    for (std::uint64_t session = 1; session < 20; ++session) {
      REQUIRE((*writer)->append(started(session)));
      REQUIRE((*writer)->flush());
      REQUIRE((*writer)->append(ended(session)));
      REQUIRE((*writer)->flush());
    }
    REQUIRE(write_file(folder / "blob", "text", synced::yes));
    CHECK(read_file(folder / "blob", 100) == "text");
    // Nobody else gets any.
    CHECK(::open("/dev/null", O_RDONLY | O_CLOEXEC) == -1);
  }
  REQUIRE((*writer)->close());
  CHECK(read_log(folder.path()));
}
