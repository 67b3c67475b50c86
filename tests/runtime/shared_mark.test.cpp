// A log that several processes share is marked as such.

#include "sample.hpp"

#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>
#include <convene/runtime/log/event_log/storage.hpp>

#include <filesystem>
#include <memory>

using namespace convene;
using namespace convene::tests;

namespace {

/// Lets all events pass.
class open_share final : public host::shared_log {
public:
  result<void> take_blob(std::string_view, std::string_view) override {
    return {};
  }
  void found(const std::string&, std::uint64_t) override {}

protected:
  result<std::vector<host::line_range>> take(std::string_view) override {
    return std::vector<host::line_range>{};
  }
};

runtime_options shared_in(const std::filesystem::path& log) {
  return {.log = log,
          .log_segment_bytes = 1 << 20,
          .log_companions = {std::make_shared<open_share>()}};
}

} // namespace

TEST_CASE("only who has a log locked marks it as shared") {
  const scratch_folder folder;
  const auto log = folder / "log";
  std::filesystem::create_directory(log);
  {
    // Another process that has not written yet.
    const auto other = host::posix_storage().lock(log / "lock");
    REQUIRE(other);
    CHECK(runtime::open(shared_in(log)).error().rule == "log_locked");
    CHECK_FALSE(std::filesystem::exists(log / "shared"));
  }
  // A start that was interrupted there changes nothing.
  auto rt = runtime::open(shared_in(log));
  REQUIRE(rt);
  CHECK(std::filesystem::exists(log / "shared"));
  REQUIRE((*rt)->close());
  rt->reset();
  CHECK(runtime::open({.log = log}).error().rule == "log_is_shared");
  CHECK(runtime::open(shared_in(log)));
}

TEST_CASE("a log that was written alone does not become a shared one") {
  const scratch_folder folder;
  const auto log = folder / "log";
  std::filesystem::create_directory(log);
  REQUIRE(runtime::open({.log = log}));
  CHECK(runtime::open(shared_in(log)).error().rule == "log_not_shared");
  CHECK_FALSE(std::filesystem::exists(log / "shared"));
}
