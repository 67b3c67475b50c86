#include <catch2/catch.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <rapidcheck.h>

#include <set>

using namespace convene::protocol;

namespace {

constexpr std::string_view sample = "0123abcd-4567-4abc-89de-f0123456789a";

} // namespace

TEST_CASE("a uuid's text is lower case and reads back") {
  const auto id = parse_uuid(sample);
  REQUIRE(id);
  CHECK(id->high == 0x0123abcd45674abcULL);
  CHECK(id->low == 0x89def0123456789aULL);
  CHECK(to_string(*id) == sample);
  CHECK(parse_uuid("0123ABCD-4567-4ABC-89DE-F0123456789A") == id);
  CHECK(rc::check([](std::uint64_t high, std::uint64_t low) {
    const uuid any{high, low};
    RC_ASSERT(parse_uuid(to_string(any)) == any);
    RC_ASSERT(is_uuid_v4(to_string(as_v4(any))));
  }));
}

TEST_CASE("only 8-4-4-4-12 hexadecimal digits are a uuid") {
  CHECK(parse_uuid("00000000-0000-0000-0000-000000000000")->is_nil());
  for (const auto* text :
       {"", "0123abcd", "0123abcd-4567-4abc-89de-f0123456789",
        "0123abcd-4567-4abc-89de-f0123456789a0",
        "0123abcd-4567-4abc-89def-0123456789a",
        "0123abcd4567-4abc-89de-f0123456789a-",
        "{123abcd-4567-4abc-89de-f0123456789}",
        "0123abcg-4567-4abc-89de-f0123456789a",
        " 123abcd-4567-4abc-89de-f0123456789a"})
    CHECK_FALSE(parse_uuid(text));
}

TEST_CASE("an identifier is a lower-case version 4 uuid") {
  CHECK(is_uuid_v4(sample));
  std::string text{sample};
  for (char version : std::string_view{"0123456789abcdef"}) {
    text[14] = version;
    CHECK(is_uuid_v4(text) == (version == '4'));
  }
  text = sample;
  for (char variant : std::string_view{"0123456789abcdef"}) {
    text[19] = variant;
    CHECK(is_uuid_v4(text) == (variant >= '8' && variant <= 'b'));
  }
  // Any other byte in any place.
  constexpr std::string_view variants = "89ab";
  constexpr std::string_view digits = "0123456789abcdef";
  for (std::size_t at = 0; at < sample.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      text = sample;
      text[at] = static_cast<char>(byte);
      const std::string_view may_be = sample[at] == '-' ? "-"
                                      : at == 14        ? "4"
                                      : at == 19        ? variants
                                                        : digits;
      INFO("byte " << byte << " at " << at);
      REQUIRE(is_uuid_v4(text) == (may_be.find(text[at]) != may_be.npos));
    }
  CHECK_FALSE(is_uuid_v4("0123ABCD-4567-4abc-89de-f0123456789a"));
  CHECK_FALSE(is_uuid_v4(""));
}

TEST_CASE("one seed gives one sequence of different version 4 ids") {
  uuid_source source{7};
  uuid_source same{7};
  std::set<uuid> seen;
  for (int i = 0; i < 10'000; ++i) {
    const auto id = source.next();
    REQUIRE(id == same.next());
    REQUIRE(is_uuid_v4(to_string(id)));
    REQUIRE(seen.insert(id).second);
  }
  CHECK_FALSE(seen.contains(uuid_source{8}.next()));
  CHECK(uuid_source::from_entropy().next()
        != uuid_source::from_entropy().next());
}

TEST_CASE("spaces of one key do not share ids") {
  const uuid key{1, 2};
  std::set<uuid> seen;
  for (std::uint64_t space = 0; space < 4; ++space)
    for (std::uint64_t number = 0; number < 1'000; ++number)
      CHECK(seen.insert(derive_uuid(key, space, number)).second);
  CHECK(derive_uuid(key, 1, 2) == derive_uuid(key, 1, 2));
  CHECK(derive_uuid({3, 4}, 1, 2) != derive_uuid(key, 1, 2));
}

TEST_CASE("derived ids are the same on every machine") {
  CHECK(to_string(derive_uuid({1, 2}, 0, 0))
        == "9e016029-3a33-4af7-a559-650848dc2883");
  CHECK(to_string(uuid_source{1}.next())
        == "8e58975f-6d0d-4556-8152-21e9ea9ada66");
}
