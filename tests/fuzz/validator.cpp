// A libFuzzer target for the parser and the validator. An input is a line
// with the name of an embedded schema and then a document; after the line
// `schema`, it is a schema of one's own, a NUL and a document.
//
// What is checked on each: the tree and the tape give the same outcome, the
// bounds hold, fewer violations are the first of more, each stands in the
// document, and a document that is printed reads as the same.
#include <boost/json/serialize.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <protocol/json_schema/generated/disorder.hpp>
#include <protocol/json_schema/generated/embedded.hpp>
#include <protocol/json_schema/routes.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                        std::size_t size_max);

namespace {

constexpr std::size_t violations_max = 50;
constexpr std::size_t few = 2;

void require(bool met, const char* what) {
  if (met)
    return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

/// Cuts off what is before the first `end`.
std::string_view take(std::string_view& text, char end) {
  const auto part = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), part.size() + 1));
  return part;
}

/// The embedded schema of that name, or, so that no input is lost, any.
compiled_schema schema_named(std::string_view name) {
  if (auto known = embedded_schema(name))
    return *known;
  static const auto all = embedded_schemas();
  const auto at = std::hash<std::string_view>{}(name) % all.size();
  return embedded_schema(all[at].path).value();
}

std::optional<compiled_schema> schema_from(std::string_view text) {
  schema_set set;
  if (const auto added = set.add_text("fuzz:schema", text); !added) {
    require(!added.error().message.empty(), "a refused schema has a message");
    return std::nullopt;
  }
  auto made = compile(set, "fuzz:schema",
                      {.nodes_max = 1'000, .patterns_max = 8});
  if (made)
    return *made;
  require(!made.error().rule.empty(), "a schema is refused by a rule");
  return std::nullopt;
}

bool leads_somewhere(const json::value& document, const violation& what) {
  boost::system::error_code missing;
  // Names that are too long to be read are cut; propertyNames has its own.
  return what.instance_pointer.size() > 64
         || what.schema_pointer.find("/propertyNames") != std::string::npos
         || document.find_pointer(what.instance_pointer, missing) != nullptr;
}

void check_outcome(const validation_outcome& out, std::size_t most) {
  const bool limited = out.limit != validation_limit::none;
  require(out.violations.size() <= most, "the limit on violations holds");
  require(!out.valid || out.violations.empty(), "what is valid violates none");
  require(!limited || !out.valid, "a limit is no verdict");
  require(out.valid || limited || most == 0 || !out.violations.empty(),
          "what is invalid violates something");
  require(out.truncated || out.valid || limited || most == 0
            || out.violations.size() < most,
          "a full list is marked");
}

void check_document(const compiled_schema& schema, std::string_view text) {
  const validation_options options{.violations_max = violations_max,
                                   .steps_max = 100'000 + 10 * text.size()};
  const auto both = by_both_routes(schema, text, options);
  require(both.disagreement.empty(), both.disagreement.c_str());
  if (!both.refused.empty())
    return;
  check_outcome(both.outcome, violations_max);
  const auto document = parse_json(text).value();
  for (const auto& one : both.outcome.violations)
    require(leads_somewhere(document, one), "a violation's place exists");
  for (std::size_t most : {std::size_t{0}, few}) {
    auto fewer = options;
    fewer.violations_max = most;
    const auto out = validate(schema, document, fewer);
    check_outcome(out, most);
    require(out.valid == both.outcome.valid && out.limit == both.outcome.limit,
            "the number of violations does not change the verdict");
    require(std::equal(out.violations.begin(), out.violations.end(),
                       both.outcome.violations.begin()),
            "fewer violations are the first of more");
  }
  const auto again = parse_json(pretty(document));
  require(again && *again == document, "a printed document reads as the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  std::string_view input{reinterpret_cast<const char*>(data), size};
  const auto name = take(input, '\n');
  if (name != "schema") {
    check_document(schema_named(name), input);
    return 0;
  }
  const auto text = take(input, '\0');
  if (const auto schema = schema_from(text))
    check_document(*schema, input);
  return 0;
}

/// Half of the time changes a document as such, so that it stays JSON.
extern "C" std::size_t
LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                        std::size_t size_max, unsigned seed) {
  dice d{seed};
  std::string_view rest{reinterpret_cast<const char*>(data), size};
  const auto name = take(rest, '\n');
  const auto schema = name == "schema" ? take(rest, '\0') : std::string_view{};
  const auto document = parse_json(rest);
  if (!document || d.chance(50))
    return LLVMFuzzerMutate(data, size, size_max);
  auto out = std::string{name} + '\n';
  if (name == "schema")
    out.append(schema).push_back('\0');
  out += json::serialize(disordered(*document, d));
  if (out.size() > size_max)
    return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(data, out.data(), out.size());
  return out.size();
}
