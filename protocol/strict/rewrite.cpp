#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/protocol/strict/shape.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array sample_words{respelling{"poor", "bad"}};

void drop_from(json::value& what, const shape& how, const place& at,
               reading_notes& notes) {
  if (auto* array = what.if_array(); array != nullptr && how.items != nullptr) {
    for (std::size_t i = 0; i < array->size(); ++i)
      drop_from((*array)[i], *how.items, {.parent = &at, .index = i}, notes);
    return;
  }
  auto* members = what.if_object();
  if (members == nullptr)
    return;
  bool complete = true;
  for (auto& member : *members) {
    const place here{.parent = &at, .name = member.key()};
    if (const auto* next = how.member(member.key())) {
      drop_from(member.value(), *next, here, notes);
    } else if (how.closed) {
      notes.add({to_pointer(here), "kept",
                 "has no place in the strict form, and is kept apart"});
      complete = false;
    }
  }
  if (complete)
    return;
  json::object known(members->storage());
  for (auto& member : *members)
    if (how.member(member.key()) != nullptr)
      known.emplace(member.key(), std::move(member.value()));
  *members = std::move(known);
}

} // namespace

bool rename_members(const rewriting& r, json::object& in,
                    const std::string& pointer,
                    std::span<const respelling> names) {
  const auto wanted = [&](std::string_view key) -> std::string_view {
    const auto found = std::ranges::find(names, key, &respelling::from);
    return found == names.end() || in.contains(found->to) ? key : found->to;
  };
  if (std::ranges::none_of(in, [&](const auto& one) {
        return wanted(one.key()) != one.key();
      }))
    return false;
  json::object renamed(in.storage());
  for (auto& member : in) {
    const auto name = wanted(member.key());
    if (name != member.key()) {
      auto where = pointer;
      append_to_pointer(where, member.key());
      r.notes.add(
        {std::move(where), "member", "taken as " + std::string{name}});
    }
    renamed.emplace(name, std::move(member.value()));
  }
  in = std::move(renamed);
  return true;
}

bool replace_word(const rewriting& r, json::object& in,
                  const std::string& pointer, std::string_view name,
                  std::span<const respelling> words) {
  const auto found = std::ranges::find(words, text_of(in, name),
                                       &respelling::from);
  if (found == words.end() || found->from == found->to)
    return false;
  // Before the change: `from` may point to what goes away with it.
  auto what = '"' + std::string{found->from} + "\" taken as \""
              + std::string{found->to} + '"';
  in[name] = found->to;
  r.notes.add({pointer + '/' + std::string{name}, "word", std::move(what)});
  return true;
}

void add_member(const rewriting& r, json::object& in,
                const std::string& pointer, std::string_view name,
                json::value value) {
  if (in.contains(name))
    return;
  r.notes.add(
    {pointer, "added",
     std::string{name} + " is missing, taken as " + shorten_value(value)});
  in.emplace(name, std::move(value));
}

official_form rewrite(const json::value& native, rewrite_purpose purpose,
                      std::size_t ordinal, reading_notes& notes) {
  const auto* object = native.if_object();
  if (object == nullptr)
    return {};
  const rewriting r{purpose, ordinal, notes};
  json::object copy(*object, object->storage());
  copy.stable_erase("$comment"); // the official examples have one (C-44)
  auto schema = official_schema(native);
  if (copy.contains("event_type")) {
    auto form = rewrite_event(r, std::move(copy));
    rewrite_times(form.value, form.schema, notes);
    return form;
  }
  if (is_module_schema(schema)) {
    rewrite_document(copy, schema, purpose, notes);
    return {schema, std::move(copy)};
  }
  json::value value(std::move(copy));
  rewrite_times(value, schema, notes);
  if (is_integration_schema(schema))
    return rewrite_integration(r, std::move(value.get_object()), schema);
  if (auto* output = object_in(value.get_object(), "output"))
    replace_word(r, *output, "/output", "resolution_quality_label",
                 sample_words);
  return {schema, std::move(value)};
}

void rewrite_document(json::object& document, std::string_view schema,
                      rewrite_purpose purpose, reading_notes& notes) {
  rewrite_document({purpose, 0, notes}, document, schema);
  json::value value(std::move(document));
  rewrite_times(value, schema, notes);
  document = std::move(value.get_object());
}

void drop_unknown(json::value& what, std::string_view schema,
                  reading_notes& notes) {
  if (const auto* how = official_shape(schema))
    drop_from(what, *how, place{}, notes);
}

} // namespace convene::protocol
