#pragma once

#include <convene/bindings/c/convene.h>
#include <convene/bindings/c/host_action.hpp>
#include <convene/bindings/c/hub.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

// What the handles of convene.h are. Each shares the hub.

struct convene_runtime {
  std::shared_ptr<convene::c_api::hub> hub;
};

struct convene_session {
  std::shared_ptr<convene::c_api::hub> hub; ///< outlives the session's handle
  convene::c_api::watched_session session;
};

struct convene_request {
  std::shared_ptr<convene::c_api::hub> hub;
  convene::turn_request asked;
  std::once_flag is_written;
  std::string text; ///< as JSON, once somebody has asked for it

  convene_request(std::shared_ptr<convene::c_api::hub> of,
                  convene::turn_request what)
    : hub{std::move(of)}, asked{std::move(what)} {}
};

struct convene_action {
  std::shared_ptr<convene::c_api::hub> hub;
  std::shared_ptr<convene::c_api::host_action> action;
};

struct convene_subscription {
  convene::subscription events;
  std::shared_ptr<convene::c_api::text_feed> feed; ///< null: events alone
};
