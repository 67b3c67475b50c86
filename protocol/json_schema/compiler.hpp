#pragma once

#include <convene/protocol/json_schema/compiled_schema.hpp>
#include <convene/protocol/json_schema/program.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::protocol::validation {

/// Turns schemas into a program, breadth first: a schema that is met gets its
/// node at once and its instructions in its turn, so that neither nesting nor
/// references recurse. The first thing that is wrong ends it.
class compiler {
public:
  compiler(const schema_set& set, const compile_options& options);

  [[nodiscard]] result<program> run(std::string_view reference);

private:
  /// A schema whose node is waiting for its instructions.
  struct pending {
    const json::value* schema;
    std::string base;    ///< its own `$id` included
    std::string pointer; ///< within the resource, for errors
  };
  using instructions = std::array<std::vector<instruction>, group_count>;
  using list = std::pair<std::uint32_t, std::uint32_t>;

  node_index node_of(const json::value& schema, std::string base,
                     std::string pointer);
  node_index node_within(const json::value& schema, std::string pointer);
  node_index node_at(std::string_view reference);
  void compile_next(node_index index);
  void compile_object(node_index index, const json::object& schema);
  void finish(node_index index);

  // Each adds what its keywords ask for to the node at hand.
  void add_type(node_index index, const json::object& schema);
  void add_values(const json::object& schema);
  void add_numbers(const json::object& schema);
  void add_strings(const json::object& schema);
  void add_arrays(const json::object& schema);
  void add_items(const json::object& schema);
  void add_objects(const json::object& schema);
  void add_members(const json::object& schema);
  void add_dependencies(const json::object& schema);
  void add_combinations(const json::object& schema);

  // Each reads a keyword, or says what it must be.
  const json::value* find(const json::object& schema, std::string_view keyword);
  const json::array* find_array(const json::object& schema,
                                std::string_view keyword);
  const json::object* find_object(const json::object& schema,
                                  std::string_view keyword);
  std::optional<std::uint32_t> find_count(const json::object& schema,
                                          std::string_view keyword);
  std::optional<number> find_number(const json::object& schema,
                                    std::string_view keyword);
  std::optional<std::string_view> find_string(const json::object& schema,
                                              std::string_view keyword);
  node_index find_node(const json::object& schema, std::string_view keyword);
  std::optional<list> find_nodes(const json::object& schema,
                                 std::string_view keyword);
  std::vector<std::string> strings_of(const json::value& value,
                                      std::string_view keyword);

  void emit(group in, instruction what);
  void emit_to_all(instruction what);
  void emit_count(group in, op code, const json::object& schema,
                  std::string_view keyword);
  std::uint32_t pattern_of(std::string_view source, std::string_view keyword);
  std::optional<name_table> table_of(const std::vector<std::string>& texts,
                                     std::vector<name_entry> entries,
                                     std::string_view keyword);
  list add_list(const std::vector<std::uint32_t>& items);
  [[nodiscard]] std::string pointer_to(std::string_view keyword) const;
  void reject(std::string_view keyword, std::string_view must_be);
  void fail_with(error what, std::string_view keyword);

  /// Refuses loops of references, and what costs too much for one value.
  void check_costs();

  const schema_set& set_;
  compile_options options_;
  program out_;
  std::vector<pending> pending_; // the first two nodes have none
  std::unordered_map<const json::value*, node_index> known_;
  std::map<std::string, std::uint32_t, std::less<>> patterns_;
  instructions now_;
  const pending* at_ = nullptr;
  std::optional<error> wrong_;
};

} // namespace convene::protocol::validation
