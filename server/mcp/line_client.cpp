#include <boost/json/serialize.hpp>
#include <convene/server/mcp/line_client.hpp>

#include <utility>

namespace convene::server {

namespace json = boost::json;

void line_client::shared::send(const std::string& line) {
  const std::lock_guard held{writing};
  write(line);
}

bool line_client::shared::close(const std::string& id, std::uint64_t number) {
  const std::lock_guard held{mutex};
  const auto found = open.find(id);
  if (found == open.end() || found->second.number != number)
    return false;
  open.erase(found);
  return true;
}

line_client::line_client(std::shared_ptr<mcp_service> service, caller by,
                         std::function<void(const std::string&)> write)
  : service_{std::move(service)}, by_{std::move(by)} {
  shared_->write = std::move(write);
}

void line_client::receive(std::string_view line) {
  if (line.empty())
    return;
  auto read = read_rpc(line, service_->limits().message_bytes_max);
  if (!read)
    return shared_->send(rpc_answer(read.error().id, read.error().fault));
  switch (read->what) {
    case rpc_message::kind::request:
      return ask(*std::move(read));
    case rpc_message::kind::notification:
      return note(*read);
    case rpc_message::kind::answer: // to what this server never asks
      return;
  }
}

void line_client::receive_too_long() {
  const auto broken = too_long(service_->limits().message_bytes_max);
  shared_->send(rpc_answer(broken.id, broken.fault));
}

void line_client::ask(rpc_message what) {
  auto id = json::serialize(what.id);
  std::stop_token stop;
  std::uint64_t number = 0;
  {
    const std::lock_guard held{shared_->mutex};
    const auto [at, is_new] = shared_->open.try_emplace(id);
    if (is_new) {
      number = at->second.number = ++shared_->last_number;
      stop = at->second.stop.get_token();
    }
  }
  if (number == 0)
    return shared_->send(
      rpc_answer(what.id, rpc_fault{.code = rpc_code::invalid_request,
                                    .message = "a request with this id is "
                                               "still open: give each its "
                                               "own"}));
  auto then = [shared = shared_, id = std::move(id), number,
               answer_to = what.id](const mcp_service::outcome& made) {
    if (shared->close(id, number))
      shared->send(made ? rpc_answer(answer_to, *made)
                        : rpc_answer(answer_to, made.error()));
  };
  service_->answer(std::move(what), by_, std::move(stop), std::move(then));
}

void line_client::note(const rpc_message& what) {
  const auto* id = what.params.if_contains("requestId");
  if (what.method != "notifications/cancelled" || id == nullptr)
    return;
  std::stop_source stop{std::nostopstate};
  {
    const std::lock_guard held{shared_->mutex};
    if (auto found = shared_->open.extract(json::serialize(*id)))
      stop = std::move(found.mapped().stop);
  }
  stop.request_stop();
}

void line_client::end() {
  {
    const std::lock_guard held{shared_->mutex};
    for (auto& [id, each] : shared_->open)
      each.stop.request_stop();
  }
  service_->stop();
}

} // namespace convene::server
