#include <boost/beast/http/basic_parser.hpp>
#include <convene/server/http/answer_head.hpp>
#include <convene/server/http/request_reader.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {

namespace http = boost::beast::http;
using text_view = boost::beast::string_view;
using boost::beast::error_code;

/// Collects the body. Of chunks it takes sizes alone: extensions and trailers
/// are where servers disagree about the end of a request.
class body_parser : public http::basic_parser<true> {
public:
  std::string body;
  /// Whether only the empty line after the last chunk is missing. Boost 1.81
  /// reads both at once, Boost 1.88 one after the other.
  bool has_last_chunk = false;

private:
  void on_request_impl(http::verb, text_view, text_view, int,
                       error_code&) override {}
  void on_response_impl(int, text_view, int, error_code&) override {}
  void on_field_impl(http::field, text_view, text_view,
                     error_code& failed) override {
    if (has_head_)
      failed = http::error::bad_field;
  }
  void on_header_impl(error_code&) override {
    has_head_ = true;
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&,
                         error_code&) override {}
  std::size_t on_body_impl(text_view part, error_code&) override {
    body.append(part.data(), part.size());
    return part.size();
  }
  void on_chunk_header_impl(std::uint64_t size, text_view extensions,
                            error_code& failed) override {
    has_last_chunk = size == 0;
    if (!extensions.empty())
      failed = http::error::bad_chunk_extension;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, text_view part,
                                 error_code&) override {
    body.append(part.data(), part.size());
    return part.size();
  }
  void on_finish_impl(error_code&) override {}

  bool has_head_ = false;
};

namespace {

/// The size of a chunk, with leading zeros, has no more digits.
constexpr std::size_t chunk_line_bytes_max = 64;

tl::unexpected<http_refusal> too_large(std::size_t most) {
  return tl::unexpected{
    http_refusal{413, "body_bytes_max",
                 "the body has more than " + std::to_string(most) + " bytes"}};
}

tl::unexpected<http_refusal> bad_chunk() {
  return tl::unexpected{http_refusal{400, "bad_request",
                                     "a chunk is malformed, or has an "
                                     "extension or a trailer"}};
}

} // namespace

struct request_reader::implementation {
  http_limits limits;
  std::optional<request_head> head;
  body_parser parser;
  std::size_t looked_at = 0; ///< of a head without an end

  tl::expected<std::size_t, http_refusal> put_head(std::string_view bytes) {
    // An end can begin in what was looked at before.
    const auto from = looked_at < 3 ? 0 : looked_at - 3;
    const auto end = bytes.find("\r\n\r\n", from);
    const auto text = bytes.substr(0, end == bytes.npos ? end : end + 4);
    if (auto fault = fault_of_unfinished_head(text, looked_at, limits))
      return tl::unexpected{*std::move(fault)};
    looked_at = text.size();
    if (end == bytes.npos)
      return 0;
    auto read = read_request_head(text, limits);
    if (!read)
      return tl::unexpected{std::move(read).error()};
    if (read->content_length > limits.body_bytes_max) {
      head = *std::move(read);
      return too_large(limits.body_bytes_max);
    }
    error_code failed;
    parser.put({text.data(), text.size()}, failed);
    if (failed || !parser.is_header_done())
      return tl::unexpected{
        http_refusal{400, "bad_request", "the headers are malformed"}};
    head = *std::move(read);
    return text.size();
  }

  tl::expected<std::size_t, http_refusal> put_body(std::string_view bytes) {
    std::size_t taken = 0;
    while (!parser.is_done() && taken < bytes.size()) {
      error_code failed;
      const auto rest = bytes.substr(taken);
      // Any chunked body ends with this, so at least so many bytes are still to
      // come. The parser requires them at once (it asserts it).
      if (head->is_chunked && !parser.has_last_chunk
          && rest.size() < last_chunk.size())
        break;
      const auto used = parser.put({rest.data(), rest.size()}, failed);
      taken += used;
      if (failed == http::error::need_more) {
        if (bytes.size() - taken > chunk_line_bytes_max)
          return bad_chunk();
        break;
      }
      if (failed == http::error::body_limit)
        return too_large(limits.body_bytes_max);
      if (failed)
        return bad_chunk();
    }
    return taken;
  }
};

request_reader::request_reader(const http_limits& limits)
  : implementation_{std::make_unique<implementation>()} {
  implementation_->limits = limits;
  auto& parser = implementation_->parser;
  parser.body_limit(limits.body_bytes_max);
  parser.header_limit(
    static_cast<std::uint32_t>(limits.header_bytes_max + chunk_line_bytes_max));
}

request_reader::request_reader(request_reader&&) noexcept = default;
request_reader& request_reader::operator=(request_reader&&) noexcept = default;
request_reader::~request_reader() = default;

tl::expected<std::size_t, http_refusal>
request_reader::put(std::string_view bytes) {
  return implementation_->head ? implementation_->put_body(bytes)
                               : implementation_->put_head(bytes);
}

const std::optional<request_head>& request_reader::head() const {
  return implementation_->head;
}

bool request_reader::is_done() const {
  return implementation_->head && implementation_->parser.is_done();
}

std::optional<http_refusal> request_reader::bound_body(std::size_t most) {
  auto& mine = *implementation_;
  if (most >= mine.limits.body_bytes_max)
    return std::nullopt;
  mine.limits.body_bytes_max = most;
  mine.parser.body_limit(most);
  if (mine.head->content_length > most)
    return too_large(most).value();
  return std::nullopt;
}

std::string& request_reader::body() {
  return implementation_->parser.body;
}

} // namespace convene::server
