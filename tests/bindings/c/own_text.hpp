#pragma once

#include <catch2/catch.hpp>
#include <convene/bindings/c/convene.h>
#include <convene/protocol/json/json_text.hpp>

#include <string>

namespace convene::tests {

/// A text that the library returned.
struct own_text {
  char* text = nullptr;

  own_text() = default;
  own_text(const own_text&) = delete;
  own_text& operator=(const own_text&) = delete;
  ~own_text() {
    convene_free(text);
  }

  [[nodiscard]] boost::json::value read() const {
    REQUIRE(text != nullptr);
    return protocol::parse_json(text).value();
  }
  [[nodiscard]] std::string rule() const {
    return std::string{read().at("details").at("rule").as_string()};
  }
};

} // namespace convene::tests
