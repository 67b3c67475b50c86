#pragma once

#include <convene/protocol/json_schema/schema_set.hpp>
#include <convene/schemas/catalog.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace convene::tests {

/// All embedded schemas, by `$id`.
inline protocol::schema_set embedded_set() {
  protocol::schema_set set;
  for (const auto& file : schemas::all())
    if (!file.id.empty())
      if (const auto added = set.add_text({}, file.text); !added)
        throw std::runtime_error(to_string(added.error()));
  return set;
}

/// The files of schemas/ that are schemas.
inline std::vector<schemas::embedded_file> embedded_schemas() {
  std::vector<schemas::embedded_file> out;
  for (const auto& file : schemas::all())
    if (!file.id.empty())
      out.push_back(file);
  return out;
}

} // namespace convene::tests
