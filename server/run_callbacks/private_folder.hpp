#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <filesystem>
#include <map>
#include <utility>

namespace convene::server {

/// A folder that only its owner can read, with a JSON object by id in each
/// file: what is owed to others, and is gone from memory after a kill. One
/// thread at a time.
class private_folder {
public:
  /// The folder is created. Errors name it.
  [[nodiscard]] static protocol::result<private_folder>
  open(std::filesystem::path folder);

  /// All of them. A file that cannot be read is left alone, and the diagnostics
  /// say so.
  [[nodiscard]] std::map<protocol::uuid, boost::json::object> load() const;

  /// After a power loss it is there with all of its text.
  [[nodiscard]] protocol::result<void>
  put(const protocol::uuid& id, const boost::json::object& what) const;

  void remove(const protocol::uuid& id) const;

  [[nodiscard]] std::filesystem::path file_of(const protocol::uuid& id) const;

private:
  explicit private_folder(std::filesystem::path folder)
    : folder_{std::move(folder)} {}

  std::filesystem::path folder_;
};

/// The object of one of its files, whose name must be an id.
[[nodiscard]] protocol::result<boost::json::object>
read_private(const std::filesystem::path& file);

} // namespace convene::server
