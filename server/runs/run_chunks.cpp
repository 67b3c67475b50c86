#include <convene/server/runs/run_chunks.hpp>

#include <utility>

namespace convene::server {

void chunk_listener::add(std::string_view node_id, std::string_view participant,
                         std::string_view text) {
  std::function<void()> then;
  {
    const std::lock_guard lock{mutex_};
    if (!waiting_text_.add(node_id, participant, text))
      return;
    then = std::exchange(waiting_, nullptr);
  }
  if (then)
    then();
}

std::vector<protocol::text_piece> chunk_listener::take() {
  const std::lock_guard lock{mutex_};
  return waiting_text_.take();
}

void chunk_listener::when_more(std::function<void()> then) {
  {
    const std::lock_guard lock{mutex_};
    if (waiting_text_.is_empty()) {
      waiting_ = std::move(then);
      return;
    }
  }
  if (then)
    then();
}

std::shared_ptr<chunk_listener> run_listeners::listen() {
  auto made = std::make_shared<chunk_listener>();
  const std::lock_guard lock{mutex_};
  std::erase_if(all_, [](const auto& each) { return each.expired(); });
  all_.push_back(made);
  return made;
}

void run_listeners::add(std::string_view node_id, std::string_view participant,
                        std::string_view text) {
  std::vector<std::shared_ptr<chunk_listener>> all;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& each : all_)
      if (auto listener = each.lock())
        all.push_back(std::move(listener));
  }
  for (const auto& each : all)
    each->add(node_id, participant, text);
}

void session_texts::begin(const std::string& session_id,
                          std::weak_ptr<run_listeners> to,
                          std::string node_id) {
  const std::lock_guard lock{mutex_};
  all_[session_id] = {std::move(to), std::move(node_id)};
}

void session_texts::end(const std::string& session_id) {
  const std::lock_guard lock{mutex_};
  all_.erase(session_id);
}

void session_texts::say(std::string_view session_id,
                        std::string_view participant, std::string_view text) {
  std::shared_ptr<run_listeners> to;
  std::string node_id;
  {
    const std::lock_guard lock{mutex_};
    const auto found = all_.find(session_id);
    if (found == all_.end())
      return;
    to = found->second.to.lock();
    node_id = found->second.node_id;
  }
  if (to)
    to->add(node_id, participant, text);
}

} // namespace convene::server
