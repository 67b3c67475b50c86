#include <convene/runtime/outside/mcp/http_link.hpp>
#include <convene/runtime/outside/mcp/http_server.hpp>

#include <chrono>
#include <utility>

namespace convene::host {

mcp_endpoint::mcp_endpoint(std::string name, std::string url,
                           std::vector<http_header> headers,
                           std::int64_t timeout_ms,
                           std::shared_ptr<http_client> by,
                           std::shared_ptr<parting_calls> partings)
  : mcp_server{std::move(name), timeout_ms}, url_{std::move(url)},
    headers_{std::move(headers)}, by_{std::move(by)}, partings_{
                                                        std::move(partings)} {
  // nop
}

mcp_endpoint::~mcp_endpoint() {
  if (link_)
    post([last = std::move(link_), parting = partings_->begin()]() mutable {
      last->leave(std::move(parting));
    });
}

void mcp_endpoint::post(std::function<void()> job) {
  by_->after(std::chrono::milliseconds{0}, std::move(job));
}

std::shared_ptr<mcp_connection>
mcp_endpoint::current(mcp_connection::failure&) {
  if (!link_ || link_->connection().is_over())
    link_ = mcp_http_link::open(name(), {url_, headers_}, by_, timeout_ms(),
                                link_ && link_->is_older());
  return {link_, &link_->connection()};
}

} // namespace convene::host
