#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/session/requests/dialog_window.hpp>
#include <convene/session/requests/participant_list.hpp>
#include <convene/session/snapshot/request_fields.hpp>

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace convene::session {

/// Writes the members listed by `fields` as JSON. Shared values are written
/// once and referred to by their position among the shared ones.
class saver {
public:
  static constexpr bool loads = false;

  /// `talk` is what dialog windows are parts of, `oldest_view` the first
  /// revision of the workspace that can be told from its versions.
  saver(const dialog_record& talk, std::uint64_t oldest_view)
    : talk_(talk), oldest_view_(oldest_view) {}

  template <class T>
  void operator()(std::string_view name, const T& what) {
    into_->emplace(name, save(what));
  }

  // What a loader must check more closely.
  void who(std::string_view name, const auto& what) {
    (*this)(name, what);
  }
  void someone(std::string_view name, participant_index what) {
    (*this)(name, what);
  }
  void step(std::string_view name, step_index what) {
    (*this)(name, what);
  }
  void time(std::string_view name, protocol::timestamp_ms what) {
    (*this)(name, what);
  }
  void word(std::string_view name, std::string_view what) {
    (*this)(name, what);
  }
  void fixed(std::string_view name, const auto& what) {
    (*this)(name, what);
  }

  [[nodiscard]] json::array take_shared() noexcept {
    return std::move(shared_);
  }
  /// The revisions of the workspace that somebody is shown, in order.
  [[nodiscard]] json::array take_views() {
    std::ranges::sort(views_);
    views_.erase(std::unique(views_.begin(), views_.end()), views_.end());
    return save_all(views_);
  }
  /// A dialog was saved that is not part of the session's dialog.
  [[nodiscard]] bool is_lost() const noexcept {
    return lost_;
  }

  [[nodiscard]] json::value save(bool what) {
    return json::value(what);
  }
  [[nodiscard]] json::value save(const std::integral auto& what) {
    return json::value(what);
  }
  template <class T>
  requires std::is_enum_v<T>
  [[nodiscard]] json::value save(const T& what) {
    if constexpr (protocol::words_of<T>.empty())
      return json::value(static_cast<unsigned>(what));
    else
      return json::value(protocol::to_word(what));
  }
  [[nodiscard]] json::value save(const std::string& what) {
    return json::value(std::string_view{what});
  }
  [[nodiscard]] json::value save(std::string_view what) {
    return json::value(what);
  }
  [[nodiscard]] json::value save(const protocol::uuid& what) {
    return json::value(to_string(what));
  }
  [[nodiscard]] json::value save(const json::value& what) {
    return what;
  }
  [[nodiscard]] json::value save(const protocol::plan& what) {
    return protocol::encode(what);
  }
  [[nodiscard]] json::value save(const protocol::confirm& what) {
    return protocol::encode(what);
  }

  template <class T>
  requires protocol::is_optional<T>
  [[nodiscard]] json::value save(const T& what) {
    json::array made;
    if (what)
      made.push_back(save(*what));
    return made;
  }
  template <class T>
  [[nodiscard]] json::value save(const std::vector<T>& what) {
    return save_all(what);
  }
  template <class T>
  [[nodiscard]] json::value save(const std::deque<T>& what) {
    return save_all(what);
  }
  [[nodiscard]] json::value save(const participant_list& what) {
    return save_all(what);
  }
  template <class K, class V, class Less>
  [[nodiscard]] json::value save(const std::map<K, V, Less>& what) {
    json::array made;
    for (const auto& [key, value] : what)
      made.push_back(json::array{save(key), save(value)});
    return made;
  }

  template <class T>
  [[nodiscard]] json::value save(const protocol::shared_value<T>& what) {
    const protocol::shared_value<T> absent;
    return &*what == &*absent ? json::value() : share(&*what, *what);
  }
  template <class T>
  [[nodiscard]] json::value save(const std::shared_ptr<const T>& what) {
    return what ? share(what.get(), *what) : json::value();
  }

  /// Its place in the session's dialog: offset and size.
  [[nodiscard]] json::value save(const dialog_window& what) {
    const auto from = talk_.find(what);
    lost_ |= !from;
    return json::array{from.value_or(0), what.bytes()};
  }

  /// Its revision, if the workspace can supply the rest.
  [[nodiscard]] json::value save(const workspace_view& what) {
    if (what.revision() < oldest_view_)
      return what.to_json();
    views_.push_back(what.revision());
    return json::value(what.revision());
  }

  /// All retained versions, in order of creation.
  [[nodiscard]] json::value save(const workspace& what) {
    std::vector<resource_version> all;
    for (const auto& standing : what.view().changes(0))
      for (auto& version : what.history(name_of(*standing->key)))
        all.push_back(std::move(version));
    std::ranges::sort(all, {},
                      [](const auto& version) { return version->revision; });
    return save_all(all);
  }

  [[nodiscard]] json::value save(const dialog_record& what) {
    json::array made;
    for (const auto& entry : what.all().entries())
      made.push_back(json::array{entry.participant, entry.at, entry.content});
    return made;
  }

  [[nodiscard]] json::value save(const plan_book& what) {
    if (what.size() == 0)
      return nullptr;
    json::array states;
    for (step_index i = 0; i < what.size(); ++i)
      states.push_back(save(what.state(i)));
    return json::array{save(what.document()), std::move(states)};
  }

  /// Any struct or class with fields.
  template <class T>
  [[nodiscard]] json::value save(const T& what) {
    json::object made;
    auto* const outside = std::exchange(into_, &made);
    if constexpr (has_own_fields<const T, saver>)
      T::fields(what, *this);
    else
      fields(*this, what);
    into_ = outside;
    return made;
  }

private:
  [[nodiscard]] json::array save_all(const auto& what) {
    json::array made;
    made.reserve(what.size());
    for (const auto& each : what)
      made.push_back(save(each));
    return made;
  }

  template <class T>
  [[nodiscard]] json::value share(const void* where, const T& what) {
    const auto [place, is_new] = places_.try_emplace(where, places_.size());
    if (is_new) {
      // What it shares itself follows it.
      const auto at = place->second;
      shared_.emplace_back(nullptr);
      auto saved = save(what);
      shared_[at] = std::move(saved);
      return json::value(at);
    }
    return json::value(place->second);
  }

  const dialog_record& talk_;
  std::uint64_t oldest_view_;
  json::object* into_ = nullptr;
  json::array shared_;
  std::unordered_map<const void*, std::size_t> places_;
  std::vector<std::uint64_t> views_;
  bool lost_ = false;
};

} // namespace convene::session
