#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/documents/confirm.hpp>
#include <convene/protocol/documents/context.hpp>
#include <convene/protocol/documents/core.hpp>
#include <convene/protocol/documents/dialog.hpp>
#include <convene/protocol/documents/extension.hpp>
#include <convene/protocol/documents/network.hpp>
#include <convene/protocol/documents/plan.hpp>
#include <convene/protocol/documents/role.hpp>
#include <convene/protocol/documents/trace.hpp>
#include <protocol/documents/corpus.hpp>

#include <filesystem>
#include <map>
#include <set>

using namespace convene::protocol;

namespace {

using judge = std::optional<error> (*)(const std::string& text);

template <class T>
std::optional<error> refusal_of(const result<T>& made) {
  return made ? std::nullopt : std::optional{made.error()};
}

template <class T>
std::optional<error> judge_document(const std::string& text) {
  const auto parsed = parse_json(text);
  if (!parsed)
    return parsed.error();
  const auto decoded = decode<T>(*parsed);
  if (!decoded)
    return decoded.error();
  if constexpr (std::is_same_v<T, plan>)
    return refusal_of(check_plan(*decoded));
  else if constexpr (std::is_same_v<T, collab>)
    return refusal_of(check_collab(*decoded));
  else if constexpr (std::is_same_v<T, core>)
    return refusal_of(check_core(*decoded));
  else if constexpr (std::is_same_v<T, network>)
    return refusal_of(check_network(*decoded));
  else
    return std::nullopt;
}

std::optional<error> judge_reply(const std::string& text) {
  return refusal_of(parse_json(text).and_then(
    [](const json::value& parsed) { return decode_reply(parsed); }));
}

const std::map<std::string, judge> judges{
  {"json",
   [](const std::string& text) { return refusal_of(parse_json(text)); }},
  {"relaxed",
   [](const std::string& text) {
     return refusal_of(parse_relaxed_json(text));
   }},
  {"collab", judge_document<collab>},
  {"confirm", judge_document<confirm>},
  {"context", judge_document<context>},
  {"core", judge_document<core>},
  {"dialog", judge_document<dialog>},
  {"extension", judge_document<extension>},
  {"network", judge_document<network>},
  {"plan", judge_document<plan>},
  {"role", judge_document<role>},
  {"trace", judge_document<trace>},
  {"reply", judge_reply},
};

struct verdict {
  std::string code;
  std::string rule;
  std::string pointer;
  std::size_t line = 0;
  std::size_t column = 0;

  bool operator==(const verdict&) const = default;
};

std::ostream& operator<<(std::ostream& out, const verdict& x) {
  return out << x.code << ' ' << x.rule << " at '" << x.pointer << "' "
             << x.line << ':' << x.column;
}

std::string member_of(const json::object& row, std::string_view name) {
  const auto* found = row.if_contains(name);
  return found ? std::string{std::string_view{found->as_string()}}
               : std::string{};
}

std::size_t number_of(const json::object& row, std::string_view name) {
  const auto* found = row.if_contains(name);
  return found ? found->to_number<std::size_t>() : 0;
}

} // namespace

TEST_CASE("every bad document of the corpus is refused for its own reason") {
  const auto table = parse_json(read_corpus("expected.json")).value();
  std::set<std::string> listed{"expected.json"};
  for (const auto& entry : table.as_array()) {
    const auto& row = entry.as_object();
    const auto file = member_of(row, "file");
    CAPTURE(file);
    REQUIRE(listed.insert(file).second);
    const auto refused = judges.at(member_of(row, "kind"))(read_corpus(file));
    REQUIRE(refused);
    CHECK(verdict{std::string{to_word(refused->code)}, refused->rule,
                  refused->pointer, refused->line, refused->column}
          == verdict{member_of(row, "code"), member_of(row, "rule"),
                     member_of(row, "pointer"), number_of(row, "line"),
                     number_of(row, "column")});
    CHECK_FALSE(refused->message.empty());
    CHECK(refused->value.size() <= 60);
    CHECK(valid_utf8(refused->value));
  }
  namespace fs = std::filesystem;
  for (const auto& file :
       fs::directory_iterator{CONVENE_SOURCE_DIR "/tests/corpus"})
    if (file.is_regular_file()) {
      CAPTURE(file.path());
      CHECK(listed.contains(file.path().filename().string()));
    }
}

TEST_CASE("every valid document of the corpus is accepted") {
  for (const auto& [kind, judged] : judges) {
    CAPTURE(kind);
    if (kind != "json" && kind != "relaxed")
      CHECK_FALSE(judged(read_corpus("valid/" + kind + ".json")));
  }
}
