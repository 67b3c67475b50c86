#pragma once

#include <convene/integrations/event_stream/stream_link.hpp>
#include <convene/integrations/nats/nats_library.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// For sources in this folder only.

namespace convene::host {

template <class T, void (*nats_library::*destroy)(T*)>
struct nats_destroyer {
  void operator()(T* which) const noexcept {
    (nats().*destroy)(which);
  }
};
using nats_options_handle = std::unique_ptr<
  natsOptions, nats_destroyer<natsOptions, &nats_library::natsOptions_Destroy>>;
using nats_connection_handle = std::unique_ptr<
  natsConnection,
  nats_destroyer<natsConnection, &nats_library::natsConnection_Destroy>>;
using nats_stream_handle
  = std::unique_ptr<jsCtx, nats_destroyer<jsCtx, &nats_library::jsCtx_Destroy>>;
using nats_info_handle = std::unique_ptr<
  jsStreamInfo,
  nats_destroyer<jsStreamInfo, &nats_library::jsStreamInfo_Destroy>>;
using nats_message_handle
  = std::unique_ptr<natsMsg,
                    nats_destroyer<natsMsg, &nats_library::natsMsg_Destroy>>;

/// Answers of one connection, which libnats' thread adds.
class nats_answers {
public:
  explicit nats_answers(std::function<void()> wake) : wake_{std::move(wake)} {}

  void add(stream_answer one);
  [[nodiscard]] std::vector<stream_answer> take();
  /// From now on there are none.
  void close();

private:
  std::mutex mutex_;
  std::vector<stream_answer> all_;
  std::function<void()> wake_; ///< unset: closed
};

/// libnats may still call for a connection that has gone, so these stay for as
/// long as that can take.
[[nodiscard]] nats_answers* lasting_answers(std::function<void()> wake);

/// For `jsOptions`; its closure are the answers.
void take_nats_answer(jsCtx* of, natsMsg* message, jsPubAck* acked,
                      jsPubAckErr* refused, void* answers);

/// Of what a server sends, at most 200 bytes, without control characters.
[[nodiscard]] std::string shown_nats_text(const char* text);

} // namespace convene::host
