#pragma once

#include <convene/actors/behaviours/blob_store.hpp>
#include <convene/actors/ports/ports.hpp>
#include <convene/runtime/log/blobs/blob_keeper.hpp>

#include <functional>
#include <memory>
#include <mutex>

namespace convene::host {

/// Writes and reads the blobs of a runtime's log where it may block.
class stored_blobs final : public actors::blob_store {
public:
  /// `runner` runs what may block, until `close`; null: whoever asks waits,
  /// for virtual time.
  stored_blobs(std::shared_ptr<blob_keeper> files,
               actors::blocking_runner* runner);

  /// Whoever asks from now on is refused.
  void close();

  void put(std::shared_ptr<const boost::json::value> what,
           when_known then) override;
  void get(const boost::json::value& reference, when_known then) override;

private:
  using job = std::function<protocol::result<boost::json::value>()>;

  void run(job what, const when_known& then);

  const std::shared_ptr<blob_keeper> files_;
  std::mutex mutex_;
  actors::blocking_runner* runner_; ///< guarded by mutex, like the rest
  bool waits_;
  bool closed_ = false;
};

} // namespace convene::host
