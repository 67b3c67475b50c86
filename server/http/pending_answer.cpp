#include <convene/server/http/pending_answer.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace convene::server {

pending_answer::~pending_answer() {
  if (is_answered_)
    return;
  try {
    pending_answer::answer(fault());
  } catch (const std::exception& failed) {
    spdlog::error("an answer was lost: {}", failed.what());
  }
}

response pending_answer::fault() const {
  return error_response(errors_, 500, "internal_error",
                        "the server has a fault; its log says more under the "
                        "request's id");
}

void pending_answer::answer(response what) {
  if (!is_answered_.exchange(true))
    done_(std::move(what));
}

void pending_answer::answer_after(std::chrono::milliseconds time,
                                  std::function<response()> make) {
  answer_later(time, std::move(make), false);
}

void pending_answer::answer_news_after(std::chrono::milliseconds time,
                                       std::function<response()> make) {
  answer_later(time, std::move(make), true);
}

void pending_answer::answer_later(std::chrono::milliseconds time,
                                  std::function<response()> make,
                                  bool for_news) {
  if (is_answered_)
    return;
  later_(
    time,
    [self = shared_from_this(), make = std::move(make)] {
      if (self->is_answered_)
        return;
      try {
        self->answer(make());
      } catch (const std::exception& failed) {
        spdlog::error("an answer could not be made: {}", failed.what());
        self->answer(self->fault());
      }
    },
    for_news);
}

} // namespace convene::server
