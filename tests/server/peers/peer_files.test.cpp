#include <catch2/catch.hpp>
#include <convene/server/peers/peer_files.hpp>
#include <runtime/log/event_log/files.hpp>
#include <support/certificates.hpp>

#include <fstream>

using namespace convene::tests;
using namespace convene::server;
using Catch::Contains;

namespace {

tls_files files_of(const std::string& text) {
  const auto first = text.find(',');
  const auto second = text.find(',', first + 1);
  return {.certificate = text.substr(0, first),
          .key = text.substr(first + 1, second - first - 1),
          .client_ca = text.substr(second + 1)};
}

/// Why the files are refused for node `a`; empty: they are not.
std::string refusal_of(const tls_files& files, const std::string& node = "a") {
  const auto done = check_peer_files(files, node);
  if (done)
    return {};
  CHECK(done.error().rule == "peer_tls");
  return done.error().file + ": " + done.error().message;
}

} // namespace

TEST_CASE("a node's certificate, key and CA that fit are taken") {
  const scratch_folder folder;
  const test_authority ca{folder / "."};
  CHECK(refusal_of(files_of(ca.issue("a"))) == "");
  CHECK(refusal_of(files_of(ca.issue("any", {.dns = "A"}))) == "");
}

TEST_CASE(
  "a certificate that other nodes would refuse is refused at the start") {
  const scratch_folder folder;
  const test_authority ca{folder / "."};
  const test_authority other{folder / ".", "other"};
  const auto good = files_of(ca.issue("a"));
  CHECK_THAT(refusal_of(good, "b"), Contains("a.pem") && Contains("\"b\""));
  CHECK_THAT(refusal_of(
               files_of(ca.issue("old", {.from_s = -7'200, .until_s = -60}))),
             Contains("old.pem") && Contains("has expired"));
  CHECK_THAT(refusal_of(files_of(ca.issue("new", {.from_s = 600}))),
             Contains("not valid yet"));
  CHECK_THAT(refusal_of(files_of(ca.issue("half", {.usage = "serverAuth"}))),
             Contains("cannot be used as a client"));
  auto files = files_of(other.issue("a2"));
  files.client_ca = ca.path("ca.pem");
  CHECK_THAT(refusal_of(files), Contains("a2.pem") && Contains("ca.pem"));
  files = good;
  files.key = files_of(ca.issue("b")).key;
  CHECK_THAT(refusal_of(files),
             Contains("b.key") && Contains("not the key of the certificate"));
}

TEST_CASE("files that are not what they should be are refused by name") {
  const scratch_folder folder;
  const test_authority ca{folder / "."};
  const auto good = files_of(ca.issue("a"));
  std::ofstream{ca.path("text")} << "no certificate";
  std::ofstream{ca.path("long")} << std::string(2 << 20, '-');
  for (const auto* wrong : {"none", "text", "long", "."}) {
    INFO(wrong);
    for (auto member :
         {&tls_files::certificate, &tls_files::key, &tls_files::client_ca}) {
      auto files = good;
      files.*member = ca.path(wrong);
      CHECK_THAT(refusal_of(files), Contains(ca.path(wrong)));
    }
  }
}

TEST_CASE("a node that others know by its certificate has a host name") {
  for (const auto* good : {"a", "Node-1", "n1.example", "node_2"})
    CHECK(check_peer_name(good));
  for (const auto* bad : {"1", "10.0.0.1", "a.0", "a.", ".a", "a..b", "-a"})
    CHECK_FALSE(check_peer_name(bad));
}
