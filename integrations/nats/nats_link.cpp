#include <convene/integrations/nats/connect_watch.hpp>
#include <convene/integrations/nats/nats_credentials.hpp>
#include <convene/integrations/nats/nats_handles.hpp>
#include <convene/integrations/nats/nats_link.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace convene::host {

using namespace protocol;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t ping_interval = 5'000; // ms
constexpr int pings_max = 2;
constexpr std::int64_t write_time = 2'000; // ms
/// Of a message besides its body.
constexpr std::size_t headers_bytes_max = 1'024;
constexpr std::size_t body_bytes_least = 4'096;
constexpr std::size_t server_id_bytes_max = 128;
constexpr auto no_stream = 10'059;

std::int64_t in_nanoseconds(milliseconds time) {
  return std::chrono::nanoseconds{time}.count();
}

class nats_link final : public stream_link {
public:
  explicit nats_link(nats_options how) : how_{std::move(how)} {}
  nats_link(const nats_link&) = delete;
  nats_link& operator=(const nats_link&) = delete;
  ~nats_link() override {
    close();
  }

  result<stream_facts> connect() override {
    close();
    auto facts = open().and_then([&] { return look_at_stream(); });
    if (!facts)
      close();
    return facts;
  }

  result<void> send(const stream_message& what) override {
    natsMsg* made = nullptr;
    auto status = nats().natsMsg_Create(&made, what.subject.c_str(), nullptr,
                                        what.body.data(),
                                        static_cast<int>(what.body.size()));
    nats_message_handle message{made};
    if (status == NATS_OK)
      status = nats().natsMsgHeader_Set(made, "Convene-Event",
                                        std::to_string(what.place).c_str());
    jsPubOptions how;
    nats().jsPubOptions_Init(&how);
    how.MsgId = what.id.c_str();
    how.ExpectStream = how_.address.stream.c_str();
    if (status == NATS_OK) {
      auto* passed = message.release(); // libnats' if it takes it
      status = nats().js_PublishMsgAsync(stream_.get(), &passed, &how);
      message.reset(passed);
    }
    return status == NATS_OK ? result<void>{}
                             : fail(problem("cannot publish", status));
  }

  result<std::vector<stream_answer>> answers() override {
    if (!nats().natsConnection_IsClosed(connection_.get()))
      return answers_->take();
    const char* why = nullptr;
    static_cast<void>(
      nats().natsConnection_GetLastError(connection_.get(), &why));
    return fail({.code = errc::io_failed,
                 .message = server() + ": the connection is lost: "
                            + shown_nats_text(why),
                 .rule = "stream_lost"});
  }

  void close() override {
    if (answers_ != nullptr)
      std::exchange(answers_, nullptr)->close();
    stream_.reset();
    connection_.reset();
  }

private:
  std::string server() const {
    return how_.address.server();
  }

  error problem(std::string_view what, natsStatus status,
                std::string_view more = {}) const {
    natsStatus last = NATS_OK;
    const auto* const detail = nats().nats_GetLastError(&last);
    auto why = shown_nats_text(nats().natsStatus_GetText(status));
    if (last == status && detail != nullptr && *detail != '\0')
      why += ": " + shown_nats_text(detail);
    return {.code = errc::io_failed,
            .message = server() + ": " + std::string{what} + ": " + why
                       + std::string{more},
            .rule = "stream_lost"};
  }

  /// The error of the first of these that fails.
  result<nats_options_handle> options() const {
    auto credentials = read_nats_credentials(how_.credentials);
    if (!credentials)
      return fail(std::move(credentials).error());
    natsOptions* made = nullptr;
    auto status = nats().natsOptions_Create(&made);
    nats_options_handle all{made};
    const auto set = [&](auto function, auto... values) {
      if (status == NATS_OK)
        status = function(made, values...);
    };
    const auto url = server();
    set(nats().natsOptions_SetURL, url.c_str());
    set(nats().natsOptions_SetName, how_.name.c_str());
    // Reconnecting is ours: it decides what is sent again.
    set(nats().natsOptions_SetAllowReconnect, false);
    set(nats().natsOptions_SetIgnoreDiscoveredServers, true);
    set(nats().natsOptions_SetTimeout,
        std::int64_t{how_.connect_timeout.count()});
    set(nats().natsOptions_SetPingInterval, ping_interval);
    set(nats().natsOptions_SetMaxPingsOut, pings_max);
    set(nats().natsOptions_SetWriteDeadline, write_time);
    // Without it, libnats writes errors to standard error.
    set(nats().natsOptions_SetErrorHandler,
        natsErrHandler{
          [](natsConnection*, natsSubscription*, natsStatus, void*) {}},
        static_cast<void*>(nullptr));
    if (how_.address.is_secure) {
      set(nats().natsOptions_SetSecure, true);
      set(nats().natsOptions_LoadCATrustedCertificates, how_.ca.c_str());
      set(nats().natsOptions_SetExpectedHostname, how_.address.host.c_str());
    }
    if (credentials->is_file)
      set(nats().natsOptions_SetUserCredentialsFromFiles,
          how_.credentials.c_str(), static_cast<const char*>(nullptr));
    if (!credentials->user.empty())
      set(nats().natsOptions_SetUserInfo, credentials->user.c_str(),
          credentials->password.c_str());
    if (!credentials->token.empty())
      set(nats().natsOptions_SetToken, credentials->token.c_str());
    if (status != NATS_OK)
      return fail(problem("cannot set up the connection", status));
    return all;
  }

  result<void> open() {
    const auto how = options();
    if (!how)
      return fail(how.error());
    natsConnection* made = nullptr;
    {
      const connect_watch watch{how_.address.port, 2 * how_.connect_timeout};
      if (const auto status = nats().natsConnection_Connect(&made, how->get());
          status != NATS_OK)
        return fail(problem("cannot connect", status));
    }
    connection_.reset(made);
    answers_ = lasting_answers(how_.wake);
    jsOptions with;
    nats().jsOptions_Init(&with);
    with.Wait = how_.request_timeout.count();
    with.PublishAsync.AckHandler = take_nats_answer;
    with.PublishAsync.AckHandlerClosure = answers_;
    jsCtx* stream = nullptr;
    if (const auto status = nats().natsConnection_JetStream(&stream, made,
                                                            &with);
        status != NATS_OK)
      return fail(problem("cannot use JetStream", status));
    stream_.reset(stream);
    return {};
  }

  /// Makes it if it is not there.
  result<nats_info_handle> stream_info() {
    const auto& name = how_.address.stream;
    jsStreamInfo* made = nullptr;
    jsErrCode code{};
    auto status = nats().js_GetStreamInfo(&made, stream_.get(), name.c_str(),
                                          nullptr, &code);
    if (status == NATS_NOT_FOUND && static_cast<int>(code) == no_stream)
      status = add_stream(&made, &code);
    nats_info_handle info{made};
    if (status != NATS_OK)
      return fail(problem("the stream \"" + name + "\" cannot be used", status,
                          static_cast<int>(code) == 0
                            ? "; is JetStream enabled, and may this user see "
                              "the stream?"
                            : ""));
    if (made == nullptr || made->Config == nullptr)
      return fail(problem("the server describes no stream", NATS_ERR));
    return info;
  }

  natsStatus add_stream(jsStreamInfo** made, jsErrCode* code) {
    const auto& name = how_.address.stream;
    jsStreamConfig wanted;
    nats().jsStreamConfig_Init(&wanted);
    const auto all = name + ".>";
    std::array subjects{all.c_str()};
    wanted.Name = name.c_str();
    wanted.Description = "Events of sessions of convene, as CloudEvents";
    wanted.Subjects = subjects.data();
    wanted.SubjectsLen = int{subjects.size()};
    wanted.Storage = js_FileStorage;
    wanted.Duplicates = in_nanoseconds(2 * how_.settle_time);
    const auto status = nats().js_AddStream(made, stream_.get(), &wanted,
                                            nullptr, code);
    // Another node may have made it at the same time.
    return status == NATS_OK ? status
           : nats().js_GetStreamInfo(made, stream_.get(), name.c_str(), nullptr,
                                     code)
               == NATS_OK
             ? NATS_OK
             : status;
  }

  result<stream_facts> look_at_stream() {
    const auto info = stream_info();
    if (!info)
      return fail(info.error());
    std::array<char, server_id_bytes_max + 1> id{};
    if (const auto status = nats().natsConnection_GetConnectedServerId(
          connection_.get(), id.data(), id.size());
        status != NATS_OK)
      return fail(problem("the server has no usable id", status));
    const auto most = body_bytes(**info);
    if (!most)
      return fail(most.error());
    stream_facts facts{.server = shown_nats_text(id.data()),
                       .stream = how_.address.stream + '@'
                                 + std::to_string((*info)->Created),
                       .body_bytes_max = *most};
    if ((*info)->Config->Duplicates < in_nanoseconds(how_.settle_time))
      facts.warning
        = "the stream \"" + how_.address.stream + "\" recognizes repeats for "
          + std::to_string((*info)->Config->Duplicates / 1'000'000'000)
          + " s only: after a loss of its server it gets events twice; set its "
            "duplicate window to at least "
          + std::to_string(how_.settle_time.count() / 1'000) + " s";
    return facts;
  }

  /// What a body may have, by the server's and the stream's limits.
  result<std::size_t> body_bytes(const jsStreamInfo& info) const {
    auto most = nats().natsConnection_GetMaxPayload(connection_.get());
    if (info.Config->MaxMsgSize > 0)
      most = std::min(most, std::int64_t{info.Config->MaxMsgSize});
    if (most < std::int64_t{headers_bytes_max + body_bytes_least})
      return fail(
        {.code = errc::io_failed,
         .message = server() + ": takes messages of " + std::to_string(most)
                    + " bytes only; allow at least "
                    + std::to_string(headers_bytes_max + body_bytes_least),
         .rule = "stream_lost"});
    return static_cast<std::size_t>(most) - headers_bytes_max;
  }

  const nats_options how_;
  nats_connection_handle connection_;
  nats_stream_handle stream_;
  nats_answers* answers_ = nullptr;
};

} // namespace

std::unique_ptr<stream_link> make_nats_link(nats_options how) {
  return std::make_unique<nats_link>(std::move(how));
}

} // namespace convene::host
