#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace convene::protocol {

namespace validation {
struct program;
}

/// Compilation options and size limits of a schema. Each bound has a rule.
struct compile_options {
  bool assert_formats = true;     ///< false: `format` only annotates
  std::size_t nodes_max = 20'000; ///< `schema_nodes`: subschemas
  std::size_t patterns_max = 256; ///< `schema_patterns`: different patterns
  std::size_t pattern_bytes_max = 4'096; ///< `pattern_size`: of one pattern
  /// `schema_cost`: subschemas that one value may have to meet once `$ref`,
  /// `allOf` and their like are followed; stops schemas that double at each
  /// of a hundred references.
  std::uint64_t cost_max = 100'000;
};

/// A schema compiled for validation: immutable, cheap to copy, safe to share
/// between threads, independent of its set.
class compiled_schema {
public:
  /// Unusable until assigned from `compile`.
  explicit compiled_schema(std::shared_ptr<const validation::program> code);

  [[nodiscard]] const validation::program& code() const noexcept {
    return *code_;
  }

private:
  std::shared_ptr<const validation::program> code_;
};

/// Compiles the schema that `reference` names in `set`, e.g.
/// `https://example.org/a.json` or `a.json#/$defs/b`. Everything it refers to
/// must be in the set. Fails with errc::invalid_document and the pointer of a
/// keyword that violates draft-07, rule `unresolved_ref`, rule `ref_loop` for
/// references that lead back to the same value, errc::unsupported for a pattern
/// that needs backtracking (rule `lookahead`, `lookbehind`, `backreference`,
/// ...), errc::limit_reached for the bounds.
[[nodiscard]] result<compiled_schema>
compile(const schema_set& set, std::string_view reference,
        const compile_options& options = {});

} // namespace convene::protocol
