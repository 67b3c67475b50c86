#pragma once

#include <boost/json/value.hpp>
#include <convene/runtime/log/files/files.hpp>

namespace convene::host {

/// Reads a regular file of JSON. All errors name the file.
[[nodiscard]] protocol::result<boost::json::value>
read_json(const std::filesystem::path& file,
          std::size_t bytes_max = document_bytes_max);

/// The same with comments and trailing commas.
[[nodiscard]] protocol::result<boost::json::value>
read_relaxed_json(const std::filesystem::path& file,
                  std::size_t bytes_max = document_bytes_max);

} // namespace convene::host
