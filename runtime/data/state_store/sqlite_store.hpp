#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <filesystem>
#include <memory>

namespace convene::host {

/// A store in an SQLite file, which is created if it is missing or empty. What
/// is acknowledged survives a crash and a power cut. The file belongs to one
/// store at a time; calls take place on a thread of the store, and its
/// destructor waits for those that were made.
///
/// Opening reads and checks the whole file. Rules of errors, here and later,
/// which name the file:
/// - `store_locked`: another process, or store, has it;
/// - `store_foreign`: it is something else, which is left as it is;
/// - `store_version`: another version of convene wrote it;
/// - `store_damaged`: its content is broken;
/// - `store_io`: it cannot be opened, read or written.
[[nodiscard]] CONVENE_API protocol::result<std::unique_ptr<state_store>>
open_sqlite_store(const std::filesystem::path& file);

} // namespace convene::host
