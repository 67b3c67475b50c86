#include <boost/json/parse.hpp>
#include <convene/protocol/json_schema/validate.hpp>

#include <iostream>

using namespace convene::protocol;

int main() {
  schema_set schemas;
  if (!schemas.add_text("https://example.org/name",
                        R"({"type": "string", "pattern": "^[a-z]+$"})"))
    return 2;
  const auto name = compile(schemas, "https://example.org/name");
  if (!name)
    return 2;
  const auto good = validate(*name, json::value("ada"));
  const auto bad = validate(*name, json::value("Ada"));
  if (!good.valid || bad.valid)
    return 1;
  std::cout << bad.violations.front().text << '\n';
  return 0;
}
