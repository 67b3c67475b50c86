#pragma once

#include "lane.hpp"

#include <convene.h>

#include <memory>

namespace convene::node {

/// A runtime of the library and the threads that wait in it.
struct runtime_handle {
  convene_runtime* runtime = nullptr;
  std::shared_ptr<lane>
    requests;                  ///< takes requests until the runtime is closed
  std::shared_ptr<lane> ends;  ///< awaits sessions
  std::shared_ptr<lane> steps; ///< awaits steps of actions
  std::shared_ptr<lane> calls; ///< calls that block

  runtime_handle() = default;
  runtime_handle(const runtime_handle&) = delete;
  runtime_handle& operator=(const runtime_handle&) = delete;

  ~runtime_handle() {
    close();
    convene_runtime_free(runtime);
  }

  void close() {
    convene_close(runtime, nullptr);
    for (const auto& each : {requests, ends, steps, calls})
      if (each)
        each->stop();
  }
};

using session_handle = std::shared_ptr<convene_session>;
using request_handle = std::shared_ptr<convene_request>;
using action_handle = std::shared_ptr<convene_action>;

} // namespace convene::node
