#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <rapidcheck.h>

#include <string>

using namespace convene;
using namespace convene::host;
using protocol::hex_of;

TEST_CASE("a digest is the protocol's own hash, whatever pieces the bytes come "
          "in") {
  CHECK(hex_digest_of("abc")
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(rc::check([](const std::string& some) {
    // Over the borders of blocks, where padding is decided.
    const auto length = *rc::gen::inRange<std::size_t>(0, 200);
    const auto bytes = some + std::string(length, 'x');
    digest pieces;
    for (std::string_view rest = bytes; !rest.empty();) {
      const auto taken = *rc::gen::inRange<std::size_t>(1, rest.size() + 1);
      pieces.add(rest.substr(0, taken));
      pieces.add("");
      rest.remove_prefix(taken);
    }
    RC_ASSERT(digest_of(bytes) == protocol::sha256(bytes));
    RC_ASSERT(pieces.finish() == digest_of(bytes));
  }));
}

TEST_CASE("a signature is what RFC 4231 says") {
  CHECK(hex_of(hmac_sha256(std::string(20, '\x0b'), "Hi There"))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  CHECK(hex_of(hmac_sha256("Jefe", "what do ya want for nothing?"))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hex_of(hmac_sha256(std::string(131, '\xaa'),
                           "Test Using Larger Than Block-Size Key - Hash Key "
                           "First"))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}
