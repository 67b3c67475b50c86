#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <functional>
#include <memory>

namespace convene::actors {

/// Keeps values that are too large for the log beside it. Thread-safe; may
/// outlive its runtime, and then refuses.
class blob_store {
public:
  blob_store() = default;
  blob_store(const blob_store&) = delete;
  blob_store& operator=(const blob_store&) = delete;
  virtual ~blob_store() = default;

  /// Called once, on any thread, possibly at once; must not block.
  using when_known = std::function<void(protocol::result<boost::json::value>)>;

  /// Keeps a value and passes the reference to it (protocol/documents/blob.hpp)
  /// on, once the value is as durable as the log makes its events. Does not
  /// wait itself, unless time is virtual.
  virtual void
  put(std::shared_ptr<const boost::json::value> what, when_known then)
    = 0;

  /// Passes the value that `reference` names on. The error's rule is
  /// `blob_missing`, `blob_corrupt` or `blob_unreadable`.
  virtual void get(const boost::json::value& reference, when_known then) = 0;
};

/// Whether a value is kept beside the log: it is large, or would be taken for
/// the reference to one that is.
[[nodiscard]] bool is_for_blob(const boost::json::value& what);

} // namespace convene::actors
