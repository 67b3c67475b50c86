#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/runtime/data/documents/check_invariants.hpp>
#include <convene/runtime/data/documents/check_matrix.hpp>
#include <convene/runtime/data/documents/check_scenario.hpp>
#include <convene/runtime/data/documents/check_text.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/data/scenario/source_text.hpp>
#include <convene/runtime/data/scenario/variables.hpp>
#include <convene/runtime/log/files/written_document.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

void add_unreadable(file_verdict& out, std::string keyword, error what,
                    std::size_t lines_before) {
  ++out.documents;
  add_error(out, {.instance = std::move(what.pointer),
                  .keyword = std::move(keyword),
                  .message = std::move(what.message),
                  .line = std::max<std::size_t>(1, what.line) + lines_before,
                  .column = std::max<std::size_t>(1, what.column)});
}

/// A schema has many names; rules know it by one.
std::string_view full_name(std::string_view schema) {
  const auto* file = schemas::find(schema);
  return file == nullptr ? schema : schemas::name(*file);
}

/// Takes a document that is written as the protocol's first descriptions do it
/// for what it means; the schema that it is for then.
result<std::string_view> accept(json::value& document,
                                const validation_rules& rules,
                                const file_verdict& out, reading_notes& notes) {
  const auto guessed = guess_schema(document);
  const auto given = std::string_view{rules.schema};
  if (rules.strict)
    return given.empty() ? official_schema(document) : given;
  // A session's log has events in native form, and nothing else; that of a
  // single agent has them in the official one.
  if (out.is_agent_log)
    return given.empty() ? guessed : given;
  if (out.is_log)
    return given.empty() ? std::string_view{"convene-native-event"} : given;
  if (guessed == "convene-scenario" && (given.empty() || given == guessed)) {
    if (auto done = replace_variables(document.get_object()); !done)
      return fail(std::move(done).error());
    if (auto done = accept_scenario(document.get_object(), notes); !done)
      return fail(std::move(done).error());
    return guessed;
  }
  const auto official = official_schema(document);
  if (!given.empty()
      && (official.empty() || schemas::find(given) != schemas::find(official)))
    return given;
  auto schema = accept_document(document, notes);
  return schema && schema->empty() ? guessed : schema;
}

void add_notes(file_verdict& out, reading_notes notes, const auto& place_of) {
  out.notes_total += notes.total;
  for (auto& one : notes.first) {
    if (out.notes.size() == violations_kept)
      return;
    const auto [line, column] = place_of(one.pointer);
    out.notes.push_back({std::move(one.pointer), std::move(one.rule),
                         std::move(one.message), line, column});
  }
}

/// Whether a document, or those in a scenario, are of a version that is read.
void check_versions(std::string_view schema, const json::value& document,
                    const auto& place_of, file_verdict& out) {
  const auto* object = document.if_object();
  if (object == nullptr)
    return;
  auto read = result<void>{};
  if (is_module_schema(schema))
    read = check_protocol_version(*object);
  else if (schema == "convene-scenario")
    read = check_scenario_versions(*object);
  if (read)
    return;
  auto& why = read.error();
  const auto [line, column] = place_of(why.pointer);
  add_error(out, {.instance = std::move(why.pointer),
                  .keyword = why.rule,
                  .message = why.message,
                  .line = line,
                  .column = column});
}

bool is_choice(const violation& one) {
  return one.keyword == "anyOf" || one.keyword == "oneOf";
}

/// Whether it only says that a value is none of several alternatives, or not of
/// the type of one, although another violation is within the value: that one
/// says what is wrong.
bool is_implied(const violation& one, const std::vector<violation>& all) {
  if (!is_choice(one) && one.keyword != "type")
    return false;
  const auto& at = one.instance_pointer;
  return std::ranges::any_of(all,
                             [&](const violation& other) {
                               return is_choice(other)
                                      && other.instance_pointer == at;
                             })
         && std::ranges::any_of(all, [&](const violation& other) {
              return other.instance_pointer.starts_with(at + '/');
            });
}

using place_finder = std::function<text_place(std::string_view pointer)>;

/// One document, and where its values are.
class value_check {
public:
  value_check(place_finder place_of, const validation_rules& rules,
              file_verdict& out)
    : place_of_{std::move(place_of)}, rules_{rules}, out_{out} {}

  result<void> run(json::value document) {
    const auto& place = place_of_;
    reading_notes notes;
    auto accepted = accept(document, rules_, out_, notes);
    if (!accepted) {
      ++out_.documents;
      auto& why = accepted.error();
      add_at(std::move(why.pointer), std::move(why.rule),
             std::move(why.message));
      return {};
    }
    add_notes(out_, std::move(notes), place);
    const auto name = accepted->empty() && !rules_.strict
                        ? std::string_view{rules_.otherwise}
                        : *accepted;
    if (name.empty()) {
      ++(rules_.unknown_is_error ? out_.documents : out_.passed_over);
      if (rules_.unknown_is_error)
        add_whole("schema",
                  document.is_array()
                    ? std::string{array_refused}
                    : "its schema cannot be determined: name one with "
                      "--schema");
      return {};
    }
    const auto schema = embedded_schema(name);
    if (!schema)
      return fail(schema.error());
    ++out_.documents;
    ++out_.schemas[std::string{full_name(name)}];
    if (out_.schema.empty())
      out_.schema = name;
    const auto found = validate(*schema, document);
    add_violations(found, full_name(name) == "convene-scenario");
    if (!rules_.strict)
      check_versions(full_name(name), document, place, out_);
    if (!rules_.strict && found.valid)
      check_matrix(name, document, place, out_);
    if (!rules_.strict && found.valid && full_name(name) == "convene-scenario")
      check_scenario(document, place, out_);
    if (rules_.invariants != nullptr)
      check_invariants(*rules_.invariants, full_name(name), document, place,
                       out_);
    return {};
  }

private:
  /// An error of the document as a whole.
  void add_whole(std::string keyword, std::string message) {
    add_at("", std::move(keyword), std::move(message));
  }

  void add_at(std::string pointer, std::string keyword, std::string message) {
    const auto [line, column] = place_of_(pointer);
    add_error(out_, {.instance = std::move(pointer),
                     .keyword = std::move(keyword),
                     .message = std::move(message),
                     .line = line,
                     .column = column});
  }

  void add_violations(const validation_outcome& found, bool is_scenario) {
    if (found.limit != validation_limit::none)
      add_whole("limit", "not validated: a limit was reached ("
                           + std::string{to_word(found.limit)} + ")");
    for (const auto& one : found.violations) {
      if (is_scenario && is_implied(one, found.violations))
        continue;
      const auto [line, column] = place_of_(one.instance_pointer);
      add_error(out_, {.instance = one.instance_pointer,
                       .schema_path = one.schema_pointer,
                       .keyword = one.keyword,
                       .message = boundary::message_of(one),
                       .line = line,
                       .column = column});
    }
  }

  place_finder place_of_;
  const validation_rules& rules_;
  file_verdict& out_;
};

/// JSON; or with comments and trailing commas, if it is a scenario then.
result<json::value> parse_document(std::string_view text,
                                   const validation_rules& rules) {
  auto strict = parse_json(text, {.bytes = written_document_bytes_max});
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
    add_unreadable(out, "json", document.error(), 0);
    return {};
  }
  if (auto* object = document->if_object(); object != nullptr && !rules.strict)
    object->stable_erase("$comment");
  const auto place = [text](std::string_view at) { return locate(text, at); };
  return value_check{place, rules, out}.run(std::move(*document));
}

result<void> check_yaml(std::string_view text, const validation_rules& rules,
                        file_verdict& out) {
  auto document = parse_yaml(text);
  if (!document) {
    if (document.error().code == errc::unsupported)
      return fail(std::move(document).error());
    add_unreadable(out, "yaml", std::move(document).error(), 0);
    return {};
  }
  if (auto* object = document->value.if_object())
    object->stable_erase("$comment");
  const source_text read{std::move(document->json), std::move(document->marks)};
  const auto place = [&read](std::string_view at) { return read.locate(at); };
  return value_check{place, rules, out}.run(std::move(document->value));
}

result<void> check_line(std::string_view line, std::size_t number,
                        const validation_rules& rules, file_verdict& out) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos)
    return {};
  const auto before = number - 1;
  auto event = parse_json(line);
  if (!event) {
    add_unreadable(out, "json", event.error(), before);
    return {};
  }
  const auto* object = event->if_object();
  if (object != nullptr && object->size() == 1
      && (object->contains("log_opened") || object->contains("log_group"))) {
    out.is_log = true;
    return {};
  }
  if (out.is_log && out.documents == 0)
    out.is_agent_log
      = object != nullptr
        && (object->contains("sa_id")
            || text_of(*object, "event_type") == "rollback_planned");
  // The rules for sessions look at what came, not at what it was taken for.
  if (rules.invariants != nullptr)
    if (auto done = feed_session_rules(*rules.invariants, *event, number, out);
        !done)
      return done;
  const auto place = [line, before](std::string_view at) {
    auto found = locate(line, at);
    found.line += before;
    return found;
  };
  return value_check{place, rules, out}.run(std::move(*event));
}

} // namespace convene::host
