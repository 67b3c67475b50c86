#include <convene/integrations/nats/nats_handles.hpp>

#include <charconv>
#include <deque>
#include <string_view>

namespace convene::host {

namespace {

/// Connections are made less than five times a second.
constexpr std::size_t lasting_max = 64;
constexpr std::size_t shown_bytes_max = 200;

} // namespace

void nats_answers::add(stream_answer one) {
  const std::lock_guard held{mutex_};
  if (!wake_)
    return;
  all_.push_back(std::move(one));
  wake_();
}

std::vector<stream_answer> nats_answers::take() {
  const std::lock_guard held{mutex_};
  return std::exchange(all_, {});
}

void nats_answers::close() {
  const std::lock_guard held{mutex_};
  wake_ = {};
  all_.clear();
}

nats_answers* lasting_answers(std::function<void()> wake) {
  static std::mutex mutex;
  static std::deque<std::unique_ptr<nats_answers>> all;
  const std::lock_guard held{mutex};
  if (all.size() == lasting_max)
    all.pop_front();
  return all.emplace_back(std::make_unique<nats_answers>(std::move(wake)))
    .get();
}

void take_nats_answer(jsCtx* /*of*/, natsMsg* message, jsPubAck* acked,
                      jsPubAckErr* refused, void* answers) {
  const nats_message_handle owned{message};
  const char* place = nullptr;
  if (message == nullptr
      || nats().natsMsgHeader_Get(message, "Convene-Event", &place) != NATS_OK)
    return;
  const std::string_view subject = nats().natsMsg_GetSubject(message);
  const std::string_view digits = place;
  stream_answer made{.session_id
                     = std::string{subject.substr(subject.rfind('.') + 1)},
                     .is_duplicate = acked != nullptr && acked->Duplicate};
  std::from_chars(digits.data(), digits.data() + digits.size(), made.place);
  if (acked == nullptr)
    made.refused = shown_nats_text(refused == nullptr ? nullptr
                                   : refused->ErrText != nullptr
                                       && *refused->ErrText != '\0'
                                     ? refused->ErrText
                                     : nats().natsStatus_GetText(refused->Err));
  static_cast<nats_answers*>(answers)->add(std::move(made));
}

std::string shown_nats_text(const char* text) {
  std::string made{text == nullptr ? "no reason was given" : text};
  made.resize(std::min(made.size(), shown_bytes_max));
  for (auto& c : made)
    if (c < ' ' || c > '~')
      c = '?';
  return made;
}

} // namespace convene::host
