#include <catch2/catch.hpp>
#include <convene/integrations/nats/nats_credentials.hpp>
#include <convene/integrations/nats/nats_options.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <runtime/log/event_log/files.hpp>

#include <filesystem>
#include <string>

using namespace convene::host;
using namespace convene::tests;

namespace fs = std::filesystem;

namespace {

fs::path write_secret(const scratch_folder& in, std::string_view text) {
  const auto file = in / "credentials";
  REQUIRE(write_file(file, text));
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return file;
}

} // namespace

TEST_CASE("credentials are a user with a password, a token or a NATS file") {
  const scratch_folder in;
  const auto user = read_nats_credentials(write_secret(in, "ana:a:b\n"));
  REQUIRE(user);
  CHECK(user->user == "ana");
  CHECK(user->password == "a:b");
  const auto token = read_nats_credentials(write_secret(in, "hush\r\n"));
  REQUIRE(token);
  CHECK(token->token == "hush");
  CHECK(token->user.empty());
  const auto file = read_nats_credentials(
    write_secret(in, "-----BEGIN NATS USER JWT-----\nx\n"));
  REQUIRE(file);
  CHECK(file->is_file);
  CHECK(read_nats_credentials({}));
}

TEST_CASE("files without credentials are refused, and not repeated") {
  const scratch_folder in;
  for (const std::string& text :
       {std::string{}, std::string{"\n"}, std::string{":hush"},
        std::string{"hush\nhush"}, std::string{"hush\0hush", 9}}) {
    const auto read = read_nats_credentials(write_secret(in, text));
    REQUIRE(!read);
    CHECK(read.error().rule == "events_credentials");
    CHECK(to_string(read.error()).find("hush") == std::string::npos);
  }
  const auto file = write_secret(in, "hush");
  fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
  const auto read = read_nats_credentials(file);
  REQUIRE(!read);
  CHECK(read.error().rule == "file_mode");
}

TEST_CASE("a CA is required with TLS, and only there") {
  const scratch_folder in;
  nats_options how{.address = {.is_secure = true, .host = "a", .stream = "s"}};
  REQUIRE(!check_nats(how));
  CHECK(check_nats(how).error().rule == "events_ca");
  how.ca = in / "ca.pem";
  CHECK(!check_nats(how));
  REQUIRE(write_file(how.ca, "no certificate"));
  REQUIRE(!check_nats(how));
  CHECK(check_nats(how).error().rule == "events_ca");
  REQUIRE(write_file(how.ca, "-----BEGIN CERTIFICATE-----"));
  CHECK(check_nats(how));
  how.address.is_secure = false;
  REQUIRE(!check_nats(how));
  CHECK(check_nats(how).error().rule == "events_ca");
}
