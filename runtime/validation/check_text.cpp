#include <convene/protocol/json_text.hpp>
#include <convene/protocol/schema_guess.hpp>
#include <convene/protocol/validator/registry.hpp>
#include <convene/protocol/validator/validate.hpp>
#include <convene/runtime/scenario/locate.hpp>
#include <convene/runtime/validation/check_invariants.hpp>
#include <convene/runtime/validation/check_text.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

void add_bad_json(file_verdict& out, error what, std::size_t lines_before) {
  ++out.documents;
  add_error(out, {.instance = std::move(what.pointer),
                  .keyword = "json",
                  .message = std::move(what.message),
                  .line = std::max<std::size_t>(1, what.line) + lines_before,
                  .column = std::max<std::size_t>(1, what.column)});
}

/// The text without the place at its front.
std::string message_of(const violation& found) {
  const auto prefix = found.instance_pointer.empty()
                        ? std::string{"the document: "}
                        : found.instance_pointer + ": ";
  return found.text.starts_with(prefix) ? found.text.substr(prefix.size())
                                        : found.text;
}

/// A schema has many names; rules know it by one.
std::string_view full_name(std::string_view schema) {
  const auto* file = schemas::find(schema);
  return file == nullptr ? schema : schemas::name(*file);
}

result<void> check_value(const json::value& document, std::string_view text,
                         std::size_t lines_before,
                         const validation_rules& rules, file_verdict& out) {
  const auto name = !rules.schema.empty() ? std::string_view{rules.schema}
                    : rules.strict        ? guess_official_schema(document)
                                          : guess_schema(document);
  const auto place_of = [&](std::string_view pointer) {
    auto found = locate(text, pointer);
    found.line += lines_before;
    return found;
  };
  if (name.empty()) {
    if (!rules.unknown_is_error) {
      ++out.passed_over;
      return {};
    }
    ++out.documents;
    const auto [line, column] = place_of("");
    add_error(out,
              {.keyword = "schema",
               .message = "nothing tells which schema this is for: name one "
                          "with --schema",
               .line = line,
               .column = column});
    return {};
  }
  const auto schema = embedded_schema(name);
  if (!schema)
    return fail(schema.error());
  ++out.documents;
  if (out.schema.empty())
    out.schema = name;
  const auto found = validate(*schema, document);
  if (found.limit != validation_limit::none) {
    const auto [line, column] = place_of("");
    add_error(out, {.keyword = "limit",
                    .message = "not validated: a limit was reached ("
                               + std::string{to_word(found.limit)} + ")",
                    .line = line,
                    .column = column});
  }
  for (const auto& one : found.violations) {
    const auto [line, column] = place_of(one.instance_pointer);
    add_error(out, {.instance = one.instance_pointer,
                    .schema_path = one.schema_pointer,
                    .keyword = one.keyword,
                    .message = message_of(one),
                    .line = line,
                    .column = column});
  }
  if (rules.invariants != nullptr)
    check_invariants(
      *rules.invariants, full_name(name), document,
      [&](std::string_view pointer) { return place_of(pointer); }, out);
  return {};
}

/// JSON; or with comments and trailing commas, if it is a scenario then.
result<json::value> parse_document(std::string_view text,
                                   const validation_rules& rules) {
  auto strict = parse_json(text);
  if (strict || rules.strict)
    return strict;
  auto relaxed = parse_relaxed_json(text);
  if (!relaxed)
    return fail(relaxed.error());
  const auto name = rules.schema.empty() ? guess_schema(*relaxed)
                                         : std::string_view{rules.schema};
  return name == "convene-scenario" ? relaxed : strict;
}

} // namespace

void add_error(file_verdict& out, placed_violation what) {
  ++out.errors_total;
  if (out.errors.size() < violations_kept)
    out.errors.push_back(std::move(what));
}

result<void> check_document(std::string_view text,
                            const validation_rules& rules, file_verdict& out) {
  auto document = parse_document(text, rules);
  if (!document) {
    add_bad_json(out, document.error(), 0);
    return {};
  }
  if (auto* object = document->if_object(); object != nullptr && !rules.strict)
    object->stable_erase("$comment");
  return check_value(*document, text, 0, rules, out);
}

result<void> check_line(std::string_view line, std::size_t number,
                        const validation_rules& rules, file_verdict& out) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos)
    return {};
  const auto before = number - 1;
  const auto event = parse_json(line);
  if (!event) {
    add_bad_json(out, event.error(), before);
    return {};
  }
  const auto* object = event->if_object();
  if (object != nullptr && object->size() == 1
      && (object->contains("log_opened") || object->contains("log_group")))
    return {};
  if (auto done = check_value(*event, line, before, rules, out); !done)
    return done;
  return rules.invariants == nullptr
           ? result<void>{}
           : feed_session_rules(*rules.invariants, *event, number, out);
}

} // namespace convene::host
