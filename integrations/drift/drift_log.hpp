#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/drift/drift.hpp>

#include <filesystem>
#include <memory>

namespace convene::host {

class descriptor;

/// A file of drift events, a line each. What it left open is open when it is
/// read again, so a record that was told is told once.
class drift_log {
public:
  /// Opens it for appending, and makes it if it is not there. What is open in
  /// it goes to `book`. A last line without an end, which a crash may leave, is
  /// ended and does not count. Events of other types are passed over; a line
  /// that is no event is an error.
  [[nodiscard]] static protocol::result<drift_log>
  open(const std::filesystem::path& file, protocol::drift_book& book);

  /// Appends a record that was opened, changed or closed.
  [[nodiscard]] protocol::result<void>
  append(protocol::drift_change how, const protocol::drift_record& record,
         protocol::timestamp_ms at);

private:
  drift_log(std::filesystem::path file, std::shared_ptr<const descriptor> out);

  std::filesystem::path file_;
  std::shared_ptr<const descriptor> out_;
  protocol::uuid_source ids_ = protocol::uuid_source::from_entropy();
};

} // namespace convene::host
