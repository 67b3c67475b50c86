#include <convene/server/peers/asked_nodes.hpp>
#include <spdlog/spdlog.h>

#include <iterator>
#include <utility>

namespace convene::server {
namespace {

constexpr int first_error_status = 400;

node_answer answer_of(const std::string& node, host::http_answer got) {
  // What an error status says is an answer; one that is cut is none.
  if (got.is_ok() || got.status >= first_error_status)
    return {.node = node,
            .status = static_cast<unsigned>(got.status),
            .body = std::move(got.body)};
  spdlog::warn("node \"{}\" has not answered: {}", node, got.error.message);
  return {.node = node, .body = {}, .reason = "unreachable"};
}

} // namespace

asked_nodes::asked_nodes(when_ended then,
                         std::function<bool(const node_answer&)> is_enough)
  : then_{std::move(then)}, is_enough_{std::move(is_enough)} {}

void asked_nodes::begin(host::http_client* by, std::vector<call> calls,
                        std::vector<node_answer> known) {
  {
    const std::lock_guard held{mutex_};
    if (is_over_)
      return;
    awaited_ = calls.size() + 1; // and the known ones
    answers_.insert(answers_.end(), std::make_move_iterator(known.begin()),
                    std::make_move_iterator(known.end()));
  }
  for (auto& each : calls) {
    auto cancel = by->start(std::move(each.what),
                            [self = shared_from_this(),
                             node = each.node](host::http_answer got) {
                              self->take(answer_of(node, std::move(got)));
                            });
    std::unique_lock held{mutex_};
    if (!is_over_) {
      cancels_.push_back(std::move(cancel));
      continue;
    }
    held.unlock();
    cancel();
  }
  take({});
}

void asked_nodes::cancel() {
  {
    const std::lock_guard held{mutex_};
    is_over_ = true;
  }
  end_calls();
}

void asked_nodes::take(node_answer one) {
  std::vector<node_answer> all;
  {
    const std::lock_guard held{mutex_};
    if (is_over_)
      return;
    is_over_ = --awaited_ == 0
               || (!one.node.empty() && is_enough_ && is_enough_(one));
    if (!one.node.empty())
      answers_.push_back(std::move(one));
    if (!is_over_)
      return;
    all = std::move(answers_);
  }
  end_calls();
  then_(std::move(all));
}

void asked_nodes::end_calls() {
  decltype(cancels_) all;
  {
    const std::lock_guard held{mutex_};
    std::swap(all, cancels_);
  }
  for (const auto& cancel : all)
    cancel();
}

} // namespace convene::server
