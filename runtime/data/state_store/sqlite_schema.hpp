#pragma once

#include <convene/runtime/data/state_store/sqlite_database.hpp>

#include <filesystem>

namespace convene::host {

/// Opens a file of a state store, makes it one if it is missing or empty, and
/// checks all of it. Errors as `open_sqlite_store` says.
[[nodiscard]] protocol::result<sqlite_database>
open_store_file(const std::filesystem::path& file);

} // namespace convene::host
