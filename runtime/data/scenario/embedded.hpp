#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>

#include <filesystem>

namespace convene::host {

/// The scenario of a file or folder, valid, with every document in it and its
/// programs by absolute paths: one that `load_scenario` takes without files.
/// Errors are those of `load_scenario`.
[[nodiscard]] protocol::result<boost::json::object>
embedded_scenario(const std::filesystem::path& path, const permissions& allow);

} // namespace convene::host
