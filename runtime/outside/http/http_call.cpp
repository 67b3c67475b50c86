#include <convene/runtime/outside/http/http_call.hpp>
#include <convene/runtime/outside/http/retry_after.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

namespace convene::host {
namespace {

constexpr long read_buffer_bytes = 4096;
constexpr std::size_t header_bytes_max = 64U << 10;

bool same_name(std::string_view a, std::string_view lower) {
  return std::ranges::equal(a, lower, [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  const auto first = text.find_first_not_of(blank);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string lower_case(std::string_view name) {
  std::string made{name};
  std::ranges::transform(made, made.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return made;
}

} // namespace

bool is_field_name(std::string_view name) noexcept {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z') || others.find(c) != others.npos;
  });
}

bool is_field_value(std::string_view value) noexcept {
  return std::ranges::none_of(value, [](char c) {
    return c == '\r' || c == '\n' || c == '\0';
  });
}

http_call::http_call(http_request what, when_answered done,
                     std::shared_ptr<const http_options> options)
  : what_(std::move(what)), done_(std::move(done)),
    options_(std::move(options)) {
  // nop
}

bool http_call::prepare() {
  auto origin = origin_of(what_.url);
  if (!origin) {
    set_error(origin.error().rule, origin.error().message);
    return false;
  }
  origin_ = *std::move(origin);
  easy_.reset(curl().easy_init());
  if (!easy_ || !add_headers()) {
    set_error("header_invalid",
              "a header or the method has characters that HTTP does not allow");
    return false;
  }
  auto* to = easy_.get();
  // A numeric option that this libcurl does not know makes the call fail, too.
  bool is_set = true;
  const auto set = [&](CURLoption option, auto value) {
    is_set = is_set && curl().easy_setopt(to, option, value) == CURLE_OK;
  };
  set(CURLOPT_ERRORBUFFER, words_.data());
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_URL, what_.url.c_str());
  set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_NOSIGNAL, 1L);
  // Cancelling does not wait for a name that is being looked up.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_BUFFERSIZE, read_buffer_bytes);
  set(CURLOPT_UPLOAD_BUFFERSIZE, 16L << 10);
  set(CURLOPT_TIMEOUT_MS,
      static_cast<long>(std::max<std::int64_t>(what_.timeout_ms, 1)));
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::max<std::int64_t>(what_.connect_timeout_ms, 1)));
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(what_.body_bytes_max));
  set(CURLOPT_FRESH_CONNECT, what_.repeatable ? 0L : 1L);
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_HEADERFUNCTION, &http_call::take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &http_call::take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_OPENSOCKETFUNCTION, &http_call::open_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  if (!options_->ca_file.empty()) {
    set(CURLOPT_CAINFO, options_->ca_file.c_str());
    // Else libcurl trusts the system's folder of certificates besides.
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (!options_->certificate_file.empty()) {
    set(CURLOPT_SSLCERT, options_->certificate_file.c_str());
    set(CURLOPT_SSLKEY, options_->key_file.c_str());
  }
  if (!what_.connect_to.empty()) {
    connect_to_.reset(
      curl().slist_append(nullptr, ("::" + what_.connect_to).c_str()));
    is_set = is_set && connect_to_ != nullptr;
    set(CURLOPT_CONNECT_TO, connect_to_.get());
  }
  if (what_.silence.count() > 0) {
    set(CURLOPT_LOW_SPEED_LIMIT, 1L);
    set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(what_.silence.count()));
  }
  if (what_.method != "GET") {
    set(CURLOPT_POSTFIELDSIZE_LARGE,
        static_cast<curl_off_t>(what_.body.size()));
    set(CURLOPT_POSTFIELDS, what_.body.c_str());
  }
  set(CURLOPT_CUSTOMREQUEST, what_.method.c_str());
  if (!is_set)
    set_error("url_invalid", "libcurl does not accept this call");
  return is_set;
}

bool http_call::add_headers() {
  curl_slist* list = nullptr;
  const auto add = [&](const std::string& line) {
    auto* longer = curl().slist_append(list, line.c_str());
    if (longer != nullptr)
      list = longer;
    headers_.release(); // NOLINT: the same list, by its first item
    headers_.reset(list);
    return longer != nullptr;
  };
  // Without a word of its own, libcurl would ask for "100 Continue".
  bool is_added = add("Expect:") && is_field_name(what_.method);
  for (const auto& [name, value] : what_.headers)
    is_added = is_added && is_field_name(name) && is_field_value(value)
               && add(value.empty() ? name + ';' : name + ": " + value);
  return is_added;
}

std::size_t http_call::take_header(char* data, std::size_t, std::size_t size,
                                   void* self) noexcept {
  try {
    auto& call = *static_cast<http_call*>(self);
    return call.hear_header({data, size}) ? size : 0;
  } catch (...) {
    return 0;
  }
}

std::size_t http_call::take_body(char* data, std::size_t, std::size_t size,
                                 void* self) noexcept {
  try {
    auto& call = *static_cast<http_call*>(self);
    if (call.what_.has_room && !call.what_.has_room())
      return CURL_WRITEFUNC_PAUSE;
    return call.hear_body({data, size}) ? size : 0;
  } catch (...) {
    return 0;
  }
}

curl_socket_t http_call::open_socket(void* self, curlsocktype,
                                     curl_sockaddr* where) noexcept {
  try {
    auto& call = *static_cast<http_call*>(self);
    const http_peer peer{.host = call.origin_.host,
                         .port = call.origin_.port,
                         .address = address_text(where->addr),
                         .is_public = is_public_address(where->addr)};
    const auto& policy = call.options_->may_connect;
    if (policy ? policy(peer) : peer.is_public)
      return socket(where->family, where->socktype | SOCK_CLOEXEC,
                    where->protocol);
    call.refused_address_ = peer.address;
  } catch (...) {
    // refused
  }
  return CURL_SOCKET_BAD;
}

bool http_call::hear_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > header_bytes_max) {
    set_error("answer_header_bytes_max", "the headers are longer than "
                                           + std::to_string(header_bytes_max)
                                           + " bytes");
    return false;
  }
  if (line.starts_with("HTTP/")) {
    answer_.content_type.clear();
    answer_.error.retry_after_ms = -1;
    answer_.should_retry.reset();
    has_exact_wait_ = false;
    location_.clear();
    heard_.clear();
    headers_ended_ = false;
  }
  if (trim(line).empty()) {
    headers_ended_ = true;
    if (what_.on_head && status() >= 200)
      what_.on_head(status(), heard_);
  }
  const auto colon = line.find(':');
  if (colon == line.npos)
    return true;
  const auto name = line.substr(0, colon);
  const auto value = trim(line.substr(colon + 1));
  if (what_.on_head)
    heard_.push_back({lower_case(name), std::string{value}});
  if (same_name(name, "retry-after-ms")) {
    if (const auto wait = milliseconds_of(value)) {
      answer_.error.retry_after_ms = *wait;
      has_exact_wait_ = true;
    }
  } else if (same_name(name, "retry-after")) {
    if (!has_exact_wait_)
      answer_.error.retry_after_ms
        = retry_after_ms(value, std::time(nullptr)).value_or(-1);
  } else if (same_name(name, "x-should-retry")) {
    if (value == "true" || value == "false")
      answer_.should_retry = value == "true";
  }
  if (same_name(name, "location"))
    location_ = value;
  else if (same_name(name, "content-type"))
    answer_.content_type = value;
  return true;
}

bool http_call::hear_body(std::string_view data) {
  const auto code = status();
  if (!what_.takes_errors && (code < 200 || code > 299)) {
    const auto room = http_answer::error_body_bytes_max - answer_.body.size();
    answer_.body.append(data.substr(0, room));
    has_enough_ = data.size() >= room;
    return !has_enough_;
  }
  body_bytes_ += data.size();
  if (body_bytes_ > what_.body_bytes_max) {
    answer_.body = {};
    set_too_long();
    return false;
  }
  if (!what_.on_data) {
    answer_.body.append(data);
    return true;
  }
  has_enough_ = !what_.on_data(data);
  return !has_enough_;
}

void http_call::set_too_long() {
  set_error("answer_bytes_max", "the answer is longer than "
                                  + std::to_string(what_.body_bytes_max)
                                  + " bytes");
}

void http_call::go_on() {
  curl().easy_pause(easy_.get(), CURLPAUSE_CONT);
}

void http_call::finish(CURLcode how) {
  answer_.status = status();
  judge(how);
  deliver();
}

void http_call::fail(std::string_view code, std::string message,
                     bool transient) {
  if (answer_.error.code.empty())
    set_error(code, std::move(message), transient);
  deliver();
}

void http_call::deliver() {
  const auto done = std::exchange(done_, nullptr);
  if (answer_.is_ok())
    answer_.error = {};
  try {
    if (done)
      done(std::move(answer_));
  } catch (...) {
    // It said that it does not.
  }
}

} // namespace convene::host
