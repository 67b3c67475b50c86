// Documents of every kind, each with what we say of it, as JSON Lines: what
// compare.mjs holds against AJV.
//
//     ajv_documents COUNT SEED [SUITE]
//
// SUITE is the public suite's folder of draft-07. A line with `is` brings a
// schema, the others a document for the schema that they name: its `text`, or
// as `hex` what is no UTF-8.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <protocol/json_schema/generated/disorder.hpp>
#include <protocol/json_schema/generated/embedded.hpp>
#include <protocol/json_schema/generated/faults.hpp>
#include <protocol/json_schema/routes.hpp>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace convene;
using namespace convene::protocol;
using namespace convene::tests;

namespace {

namespace files = std::filesystem;

/// A schema, and what its documents are made from.
struct subject {
  std::string name;
  compiled_schema schema;
  std::string id;                  ///< of an embedded one
  std::vector<json::value> models; ///< else: the suite's documents
};

void bring_schema(std::string_view name, const json::value& schema) {
  std::cout << json::serialize(json::object{{"schema", name}, {"is", schema}})
            << '\n';
}

void add_embedded(std::vector<subject>& to) {
  for (const auto& file : embedded_schemas()) {
    bring_schema(file.path, parse_json(file.text).value());
    to.push_back({std::string{file.path},
                  embedded_schema(file.path).value(),
                  std::string{file.id},
                  {}});
  }
}

/// The suite's schemas, but for those that need files of a server, and those
/// formats whose differences formats.mjs can tell.
void add_suite(const files::path& folder, std::vector<subject>& to) {
  std::vector<files::path> paths{files::directory_iterator{folder}, {}};
  std::ranges::sort(paths);
  for (auto format : {"date", "date-time", "email", "hostname", "ipv4", "ipv6",
                      "json-pointer", "relative-json-pointer", "time", "uri"})
    paths.push_back(folder / "optional/format"
                    / (std::string{format} + ".json"));
  for (const auto& path : paths) {
    if (path.extension() != ".json" || path.filename() == "refRemote.json")
      continue;
    std::ifstream in{path};
    const auto groups
      = json::parse(std::string{std::istreambuf_iterator<char>{in}, {}});
    for (const auto& group : groups.as_array()) {
      const auto name = path.filename().string() + ": "
                        + std::string{group.at("description").as_string()};
      schema_set set;
      if (const auto added = set.add("suite:schema", group.at("schema"));
          !added)
        throw std::runtime_error(to_string(added.error()));
      bring_schema(name, group.at("schema"));
      to.push_back({name, compile(set, "suite:schema").value(), {}, {}});
      for (const auto& test : group.at("tests").as_array())
        to.back().models.push_back(test.at("data"));
    }
  }
}

struct sample {
  std::string kind;
  std::string text;
};

/// A document for the subject: valid, with a fault, disordered or garbled.
sample draw(const schema_set& set, const subject& from, dice& d) {
  json::value document;
  if (from.models.empty()) {
    const auto made = generate(set, from.id, d);
    const auto faults = faults_of(made, d);
    if (d.chance(30) && !faults.empty())
      return {"fault",
              json::serialize(with_fault(made.document, d.one_of(faults)))};
    document = made.document;
  } else {
    document = d.one_of(from.models);
  }
  if (d.chance(60))
    return {"disordered", json::serialize(disordered(document, d))};
  if (d.chance(50))
    return {"garbled", garbled(json::serialize(document), d)};
  return {"as made", json::serialize(document)};
}

json::object judged(const subject& by, const sample& what) {
  const auto both = by_both_routes(by.schema, what.text,
                                   {.violations_max = 1'000'000});
  if (!both.disagreement.empty())
    throw std::runtime_error(both.disagreement + ": " + what.text);
  json::object line{{"schema", by.name}, {"kind", what.kind}};
  if (valid_utf8(what.text)) {
    line["text"] = what.text;
  } else {
    std::string hex;
    for (const char c : what.text)
      for (const int shift : {4, 0})
        hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 15];
    line["hex"] = hex;
  }
  if (!both.refused.empty()) {
    line["refused"] = both.refused;
    return line;
  }
  line["valid"] = both.outcome.valid;
  json::array found;
  for (const auto& one : both.outcome.violations)
    found.push_back(json::array{one.instance_pointer, one.keyword});
  line["found"] = std::move(found);
  return line;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t out = 0;
  const auto* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, out).ptr != end)
    throw std::invalid_argument("not a number: " + std::string{text});
  return out;
}

void write(std::uint32_t count, std::uint32_t seed, const char* suite) {
  const auto set = embedded_set();
  std::vector<subject> subjects;
  add_embedded(subjects);
  const auto embedded = subjects.size();
  if (suite != nullptr)
    add_suite(suite, subjects);
  dice d{seed};
  for (std::uint32_t i = 0; i < count; ++i) {
    // One in five from the suite: small schemas, but all keywords.
    const bool own = subjects.size() == embedded || !d.chance(20);
    const auto& by
      = own ? subjects[i % embedded]
            : subjects[embedded + d.below(subjects.size() - embedded)];
    std::cout << json::serialize(judged(by, draw(set, by, d))) << '\n';
  }
}

} // namespace

int main(int argc, char** argv) {
  try {
    if (argc < 3 || argc > 4)
      throw std::invalid_argument("usage: ajv_documents COUNT SEED [SUITE]");
    std::ios::sync_with_stdio(false);
    write(number(argv[1]), number(argv[2]), argc > 3 ? argv[3] : nullptr);
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& what) {
    std::cerr << "ajv_documents: " << what.what() << '\n';
    return 1;
  }
}
