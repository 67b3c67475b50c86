#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/accept.hpp>
#include <convene/protocol/strict/alias_ids.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/rewrite.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

namespace json = boost::json;

/// A document within a scenario.
struct embedded_document {
  std::string pointer;
  std::string_view schema;
  json::value* value;
};

std::vector<embedded_document> documents_in(json::object& scenario) {
  constexpr std::array single{
    std::string_view{"context"}, std::string_view{"collab"},
    std::string_view{"plan"},    std::string_view{"confirm"},
    std::string_view{"core"},    std::string_view{"network"}};
  constexpr std::array schemas{
    std::string_view{"mplp-context"}, std::string_view{"mplp-collab"},
    std::string_view{"mplp-plan"},    std::string_view{"mplp-confirm"},
    std::string_view{"mplp-core"},    std::string_view{"mplp-network"}};
  struct document_list {
    std::string_view name;
    std::string_view schema;
  };
  constexpr std::array lists{document_list{"roles", "mplp-role"},
                             document_list{"extensions", "mplp-extension"},
                             document_list{"extension_confirms",
                                           "mplp-confirm"}};
  std::vector<embedded_document> all;
  for (std::size_t i = 0; i < single.size(); ++i)
    if (auto* value = scenario.if_contains(single[i]);
        value != nullptr && value->is_object())
      all.push_back({'/' + std::string{single[i]}, schemas[i], value});
  for (const auto& [name, schema] : lists) {
    auto* const list = array_in(scenario, name);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
      if ((*list)[i].is_object())
        all.push_back({'/' + std::string{name} + '/' + std::to_string(i),
                       schema, &(*list)[i]});
  }
  return all;
}

void move_notes(reading_notes&& from, const std::string& pointer,
                reading_notes& to) {
  for (auto& one : from.first) {
    one.pointer.insert(0, pointer);
    to.add(std::move(one));
  }
  to.total += from.total - from.first.size();
}

} // namespace

result<std::string_view> accept_document(json::value& document,
                                         reading_notes& notes) {
  const auto* object = document.if_object();
  if (object == nullptr
      || (object->contains("event_type") && object->contains("event_id")))
    return std::string_view{};
  auto form = rewrite(document, rewrite_purpose::reading, 0, notes);
  if (form.schema.empty())
    return std::string_view{};
  alias_table aliases;
  const auto* how = official_shape(form.schema);
  collect_aliases(form.value, how, aliases);
  if (auto settled = aliases.settle(); !settled)
    return fail(std::move(settled).error());
  alias_ids(form.value, how, aliases, notes);
  document = std::move(form.value);
  return form.schema;
}

result<json::object> accept_scenario(json::object& scenario,
                                     reading_notes& notes) {
  const auto documents = documents_in(scenario);
  std::vector<reading_notes> found(documents.size());
  alias_table aliases;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    rewrite_document(documents[i].value->get_object(), documents[i].schema,
                     rewrite_purpose::reading, found[i]);
    collect_aliases(*documents[i].value, official_shape(documents[i].schema),
                    aliases);
  }
  if (auto settled = aliases.settle(); !settled)
    return fail(std::move(settled).error());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    alias_ids(*documents[i].value, official_shape(documents[i].schema), aliases,
              found[i]);
    move_notes(std::move(found[i]), documents[i].pointer, notes);
  }
  if (auto* session = scenario.if_contains("session")) {
    reading_notes ignored; // only ids have notes, and here are none
    alias_ids(*session, nullptr, aliases, ignored);
  }
  return std::move(aliases.to_json().at("aliases").get_object());
}

} // namespace convene::protocol
