#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/requests/dialog_window.hpp>
#include <convene/session/requests/participant_list.hpp>
#include <convene/session/snapshot/request_fields.hpp>

#include <any>
#include <limits>
#include <set>
#include <utility>

namespace convene::session {

/// Thrown for a state that no machine could have saved.
struct bad_snapshot {
  protocol::error why;
};

/// Names that the machine retains: its policy's constants.
using word_store = std::set<std::string, std::less<>>;

/// Reads what a `saver` wrote. Throws `bad_snapshot`.
class loader {
public:
  static constexpr bool loads = true;

  explicit loader(const json::object& whole) : from_(&whole) {
    shared_ = &array_of(member("shared"), "shared");
    loaded_.resize(shared_->size());
    (*this)("views", views_wanted_);
  }

  /// What the machine has before it is loaded.
  void begin(std::size_t participants, word_store& words) noexcept {
    participants_ = participants;
    words_ = &words;
  }

  /// Nothing may be left unread.
  void finish() const {
    if (seen_ != from_->size())
      refuse("", "has a member that nothing is called");
  }

  template <class T>
  void operator()(std::string_view name, T& what) {
    path_.push_back(name);
    load(member(name), what);
    path_.pop_back();
  }

  /// A participant, or nobody.
  void who(std::string_view name, participant_index& what) {
    (*this)(name, what);
    if (what != no_participant)
      check_someone(name, what);
  }
  void who(std::string_view name, std::vector<participant_index>& what) {
    (*this)(name, what);
    for (const auto one : what)
      check_someone(name, one);
  }
  void who(std::string_view name, participant_list& what);
  void someone(std::string_view name, participant_index& what) {
    (*this)(name, what);
    check_someone(name, what);
  }
  /// A step of the plan, or none.
  void step(std::string_view name, step_index& what) {
    (*this)(name, what);
    if (what != no_step && what >= steps_)
      refuse(name, "there is no such step");
  }
  void time(std::string_view name, protocol::timestamp_ms& what) {
    (*this)(name, what);
    check_time(name, what);
  }
  /// What pointed at a constant in the saved machine.
  void word(std::string_view name, std::string_view& what) {
    std::string text;
    (*this)(name, text);
    what = *words_->insert(std::move(text)).first;
  }
  /// As many as there are already.
  template <class T>
  void fixed(std::string_view name, std::vector<T>& what) {
    path_.push_back(name);
    const auto& all = array_of(member(name), name);
    if (all.size() != what.size())
      refuse(name, "has not as many elements as the session");
    for (std::size_t i = 0; i < what.size(); ++i)
      load(all[i], what[i]);
    path_.pop_back();
  }

  [[noreturn]] void refuse(std::string_view name, std::string why) const;

  void load(const json::value& from, bool& to) {
    const auto* found = from.if_bool();
    to = found != nullptr ? *found : (wrong("is not a boolean"), false);
  }
  template <std::integral T>
  void load(const json::value& from, T& to) {
    // Far enough from the ends that sums stay numbers.
    constexpr auto most = std::is_same_v<T, std::uint64_t>
                            ? std::numeric_limits<std::uint64_t>::max()
                            : std::uint64_t{1} << 61;
    const auto* number = from.if_int64();
    const auto* large = from.if_uint64();
    if (number == nullptr && large == nullptr)
      wrong("is not a whole number");
    if (number != nullptr && *number < 0) {
      if (*number != -1 || std::is_unsigned_v<T>)
        wrong("is not a number that a session can have");
      to = static_cast<T>(*number);
      return;
    }
    const auto found = number != nullptr ? static_cast<std::uint64_t>(*number)
                                         : *large;
    if (found > most || !std::in_range<T>(found))
      wrong("is not a number that a session can have");
    to = static_cast<T>(found);
  }
  template <class T>
  requires std::is_enum_v<T>
  void load(const json::value& from, T& to) {
    if constexpr (protocol::words_of<T>.empty()) {
      std::uint8_t number = 0;
      load(from, number);
      if (number > static_cast<unsigned>(last_of(T{})))
        wrong("is not a value of its kind");
      to = static_cast<T>(number);
    } else {
      const auto found = protocol::from_word<T>(text_in(from));
      to = found ? *found : (wrong("is not a word of its kind"), T{});
    }
  }
  void load(const json::value& from, std::string& to) {
    to = text_in(from);
  }
  void load(const json::value& from, protocol::uuid& to) {
    const auto found = protocol::parse_uuid(text_in(from));
    to = found ? *found : (wrong("is not a UUID"), protocol::uuid{});
  }
  void load(const json::value& from, json::value& to) {
    to = from;
  }
  void load(const json::value& from, protocol::plan& to) {
    load_document(from, to);
  }
  void load(const json::value& from, protocol::confirm& to) {
    load_document(from, to);
  }

  template <class T>
  requires protocol::is_optional<T>
  void load(const json::value& from, T& to) {
    const auto& all = array_in(from);
    if (all.size() > 1)
      wrong("has more than one value");
    to.reset();
    if (!all.empty())
      load(all.front(), to.emplace());
  }
  template <class T>
  void load(const json::value& from, std::vector<T>& to) {
    load_all(from, to);
  }
  template <class T>
  void load(const json::value& from, std::deque<T>& to) {
    load_all(from, to);
  }
  template <class K, class V, class Less>
  void load(const json::value& from, std::map<K, V, Less>& to) {
    to.clear();
    for (const auto& each : array_in(from)) {
      std::pair<K, V> entry;
      load(tuple_in(each, 2)[0], entry.first);
      load(each.get_array()[1], entry.second);
      if (!to.insert(std::move(entry)).second)
        wrong("has a name twice");
    }
  }
  template <class T>
  void load(const json::value& from, protocol::shared_value<T>& to) {
    if (from.is_null())
      to = {};
    else
      to = shared<protocol::shared_value<T>>(
        from,
        [](T&& made) { return protocol::shared_value<T>{std::move(made)}; },
        T{});
  }
  template <class T>
  void load(const json::value& from, std::shared_ptr<const T>& to) {
    if (from.is_null())
      to = nullptr;
    else
      to = shared<std::shared_ptr<const T>>(
        from,
        [](T&& made) { return std::make_shared<const T>(std::move(made)); },
        T{});
  }

  void load(const json::value& from, dialog_window& to);
  void load(const json::value& from, dialog_record& to);
  void load(const json::value& from, workspace_view& to);
  void load(const json::value& from, workspace& to);
  void load(const json::value& from, plan_book& to);

  /// Any struct or class with fields.
  template <class T>
  void load(const json::value& from, T& to) {
    const auto* object = from.if_object();
    if (object == nullptr)
      wrong("is not an object");
    const auto outside = std::exchange(from_, object);
    const auto seen = std::exchange(seen_, 0);
    if constexpr (has_own_fields<T, loader>)
      T::fields(to, *this);
    else
      fields(*this, to);
    finish();
    from_ = outside;
    seen_ = seen;
  }

private:
  static constexpr request_kind last_of(request_kind) {
    return request_kind::escalation;
  }

  [[noreturn]] void wrong(std::string why) const {
    refuse(path_.empty() ? std::string_view{} : path_.back(), std::move(why));
  }
  void check_someone(std::string_view name, participant_index what) const;
  void check_time(std::string_view name, protocol::timestamp_ms what) const;
  [[nodiscard]] const json::value& member(std::string_view name);
  [[nodiscard]] const json::array& array_of(const json::value& from,
                                            std::string_view name) const;
  [[nodiscard]] const json::array& array_in(const json::value& from) const {
    return array_of(from, path_.empty() ? std::string_view{} : path_.back());
  }
  [[nodiscard]] const json::array& tuple_in(const json::value& from,
                                            std::size_t size) const;
  [[nodiscard]] std::string_view text_in(const json::value& from) const;

  void load_all(const json::value& from, auto& to) {
    to.clear();
    for (const auto& each : array_in(from))
      load(each, to.emplace_back());
  }
  template <class T>
  void load_document(const json::value& from, T& to) {
    auto found = protocol::decode<T>(from);
    if (!found)
      wrong(found.error().message);
    to = *std::move(found);
  }

  /// Shared values, created once.
  template <class Handle, class T>
  [[nodiscard]] Handle shared(const json::value& from, auto wrap, T&& made) {
    std::size_t at = 0;
    load(from, at);
    if (at >= loaded_.size())
      wrong("nothing has this place");
    if (!loaded_[at].has_value()) {
      load((*shared_)[at], made);
      loaded_[at] = wrap(std::move(made));
    }
    const auto* found = std::any_cast<Handle>(&loaded_[at]);
    if (found == nullptr)
      wrong("is of another kind where it is shared");
    return *found;
  }

  const json::object* from_;
  std::size_t seen_ = 0;
  std::size_t participants_ = 0;
  std::size_t steps_ = 0;
  word_store* words_ = nullptr;
  std::vector<std::string_view> path_;
  const json::array* shared_ = nullptr;
  std::vector<std::any> loaded_;
  std::vector<std::uint64_t> views_wanted_; ///< in order
  std::map<std::uint64_t, workspace_view> views_;
  const dialog_record* talk_ = nullptr;
};

} // namespace convene::session
