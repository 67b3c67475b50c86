// CPU time to validate documents, for bench/ajv/run. Arguments are pairs of an
// embedded schema and a file; a line of output is the file, nanoseconds to
// validate it when parsed, and to parse and validate it.
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <simdjson.h>

#include <cstdint>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace convene::protocol;

namespace {

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9
         + static_cast<double>(now.tv_nsec);
}

/// Nanoseconds a call, over calls that take at least a tenth of a second.
template <class Call>
double time_of(Call call) {
  constexpr double enough_ns = 1e8;
  for (std::uint64_t times = 1;; times *= 2) {
    const auto before = cpu_ns();
    for (std::uint64_t i = 0; i < times; ++i)
      if (!call())
        throw std::runtime_error("the document is not valid");
    if (const auto spent = cpu_ns() - before; spent > enough_ns)
      return spent / static_cast<double>(times);
  }
}

void measure(const char* name, const char* file) {
  const auto schema = embedded_schema(name);
  if (!schema)
    throw std::runtime_error(to_string(schema.error()));
  const simdjson::padded_string text = simdjson::padded_string::load(file);
  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(text);
  const auto parsed = time_of(
    [&] { return validate(*schema, document, {.violations_max = 1}).valid; });
  simdjson::dom::parser again;
  const auto both = time_of([&] {
    const simdjson::dom::element read = again.parse(text);
    return validate(*schema, read, {.violations_max = 1}).valid;
  });
  std::cout << file << ' ' << parsed << ' ' << both << '\n';
}

} // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i + 1 < argc; i += 2)
      measure(argv[i], argv[i + 1]);
  } catch (const std::exception& what) {
    std::cerr << "validator_against_ajv: " << what.what() << '\n';
    return 1;
  }
}
