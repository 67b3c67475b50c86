#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <support/dice.hpp>

#include <string>

namespace convene::tests {

/// Random JSON values, and YAML texts that mean them.
class yaml_writer {
public:
  explicit yaml_writer(std::uint32_t seed) : dice_{seed} {}

  /// An object, with strings that YAML is known to mistake.
  boost::json::value random_object(int depth = 0);

  /// In flow form or in block form, with a random style for each string.
  std::string flow(const boost::json::value& what);
  std::string block(const boost::json::value& what);

private:
  boost::json::value random_value(int depth);
  std::string random_text();
  std::string text_in_flow(const std::string& text);
  void write_block(std::string& to, const boost::json::value& what,
                   std::size_t indent);

  test::dice dice_;
};

} // namespace convene::tests
