#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/compiler.hpp>
#include <convene/protocol/json_schema/subschemas.hpp>
#include <convene/protocol/text/uri.hpp>

#include <algorithm>
#include <cassert>
#include <deque>

namespace convene::protocol {
namespace validation {

compiler::compiler(const schema_set& set, const compile_options& options)
  : set_(set), options_(options) {
  out_.nodes.resize(2);
  out_.nodes[never].types = 0;
  pending_.resize(2, {nullptr, {}, {}});
}

result<program> compiler::run(std::string_view reference) {
  const auto place = set_.find({}, reference);
  if (!place)
    return fail(place.error());
  out_.root = node_of(*place->schema, place->base,
                      percent_decoded(split_fragment(reference).fragment));
  for (node_index i = 2; i < out_.nodes.size() && !wrong_; ++i)
    compile_next(i);
  if (!wrong_)
    check_costs();
  if (wrong_)
    return fail(std::move(*wrong_));
  return std::move(out_);
}

node_index compiler::node_of(const json::value& schema, std::string base,
                             std::string pointer) {
  if (const auto* known = schema.if_bool())
    return *known ? always : never;
  const auto index = static_cast<node_index>(out_.nodes.size());
  const auto [at, is_new] = known_.try_emplace(&schema, index);
  if (!is_new)
    return at->second;
  if (!schema.is_object() || index - 2 >= options_.nodes_max) {
    const bool too_many = schema.is_object();
    if (!wrong_)
      wrong_ = {.code = too_many ? errc::limit_reached : errc::invalid_document,
                .message = too_many ? "the schema has too many subschemas"
                                    : "a schema is an object, true or false",
                .file = std::move(base),
                .pointer = std::move(pointer),
                .rule = too_many ? "schema_nodes" : "schema",
                .value = shorten_value(schema)};
    return never;
  }
  out_.nodes.emplace_back();
  pending_.push_back({&schema, std::move(base), std::move(pointer)});
  return index;
}

node_index compiler::node_within(const json::value& schema,
                                 std::string pointer) {
  return node_of(schema, base_within(schema, at_->base), std::move(pointer));
}

node_index compiler::node_at(std::string_view reference) {
  auto place = set_.find(at_->base, reference);
  if (!place) {
    fail_with(place.error(), "$ref");
    return never;
  }
  auto pointer = percent_decoded(split_fragment(reference).fragment);
  return node_of(*place->schema, place->base, std::move(pointer));
}

void compiler::compile_next(node_index index) {
  const auto here = pending_[index];
  at_ = &here;
  for (auto& group : now_)
    group.clear();
  compile_object(index, here.schema->get_object());
  finish(index);
  at_ = nullptr;
}

void compiler::compile_object(node_index index, const json::object& schema) {
  if (const auto* reference = schema.if_contains("$ref");
      reference != nullptr) {
    if (!reference->is_string())
      return reject("$ref", "a string");
    emit_to_all({.code = op::reference, .a = node_at(reference->get_string())});
    return;
  }
  add_type(index, schema);
  add_values(schema);
  add_numbers(schema);
  add_strings(schema);
  add_arrays(schema);
  add_objects(schema);
  add_combinations(schema);
}

void compiler::finish(node_index index) {
  auto& first = out_.nodes[index].first;
  for (std::uint32_t i = 0; i < group_count; ++i) {
    first[i] = static_cast<std::uint32_t>(out_.code.size());
    out_.code.insert(out_.code.end(), now_[i].begin(), now_[i].end());
  }
  first[group_count] = static_cast<std::uint32_t>(out_.code.size());
}

void compiler::emit(group in, instruction what) {
  now_[in].push_back(what);
}

void compiler::emit_to_all(instruction what) {
  for (auto& group : now_)
    group.push_back(what);
}

compiler::list compiler::add_list(const std::vector<std::uint32_t>& items) {
  const auto first = static_cast<std::uint32_t>(out_.lists.size());
  out_.lists.insert(out_.lists.end(), items.begin(), items.end());
  return {first, static_cast<std::uint32_t>(out_.lists.size())};
}

std::string compiler::pointer_to(std::string_view keyword) const {
  auto pointer = at_->pointer;
  append_to_pointer(pointer, keyword);
  return pointer;
}

void compiler::reject(std::string_view keyword, std::string_view must_be) {
  fail_with({.code = errc::invalid_document,
             .message
             = std::string{keyword}.append(" must be ").append(must_be),
             .rule = "schema"},
            keyword);
}

void compiler::fail_with(error what, std::string_view keyword) {
  if (wrong_)
    return;
  what.file = at_->base;
  what.pointer = pointer_to(keyword);
  wrong_ = std::move(what);
}

} // namespace validation

compiled_schema::compiled_schema(
  std::shared_ptr<const validation::program> code)
  : code_(std::move(code)) {}

result<compiled_schema> compile(const schema_set& set,
                                std::string_view reference,
                                const compile_options& options) {
  auto made = validation::compiler{set, options}.run(reference);
  if (!made)
    return fail(std::move(made.error()));
  return compiled_schema{
    std::make_shared<const validation::program>(std::move(*made))};
}

} // namespace convene::protocol
