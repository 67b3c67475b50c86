#include <cluster/append_history.hpp>

#include <algorithm>
#include <compare>
#include <span>
#include <string_view>
#include <unordered_map>

namespace convene::test {
namespace {

/// A place in the only possible order: after how many events, and after which
/// take-over of those without an event between them.
struct order_place {
  std::uint64_t events = 0;
  std::uint64_t epoch = 0;

  friend auto operator<=>(const order_place&, const order_place&) = default;
};

enum class kind { change, read, refusal };

struct operation {
  call_span span;
  order_place place;
  kind is = kind::change;
  std::string name;
};

class judgement {
public:
  explicit judgement(const append_history& of) : of_(of) {}

  std::string pronounce() {
    for (const auto part : {&judgement::check_log, &judgement::check_grants,
                            &judgement::check_appends, &judgement::check_reads,
                            &judgement::check_order})
      if (auto wrong = (this->*part)(); !wrong.empty())
        return wrong;
    return {};
  }

private:
  static std::string quoted(std::string_view body) {
    return "\"" + std::string{body} + "\"";
  }

  std::string check_log() {
    std::uint64_t epoch = 0;
    for (std::size_t i = 0; i < of_.log.size(); ++i) {
      const auto& one = of_.log[i];
      if (one.epoch < epoch)
        return "the epoch falls at place " + std::to_string(i + 1);
      if (one.epoch == 0 || one.epoch > of_.grants.size())
        return "no node had the epoch at place " + std::to_string(i + 1);
      epoch = one.epoch;
      if (!places_.emplace(one.body, i + 1).second)
        return quoted(one.body) + " is on the log twice";
    }
    return {};
  }

  /// How many events have a lower epoch.
  [[nodiscard]] std::uint64_t before_epoch(std::uint64_t epoch) const {
    return static_cast<std::uint64_t>(
      std::ranges::lower_bound(of_.log, epoch, {}, &logged_append::epoch)
      - of_.log.begin());
  }

  std::string check_grants() {
    for (std::size_t i = 0; i < of_.grants.size(); ++i) {
      const auto epoch = i + 1;
      const auto length = before_epoch(epoch);
      const auto name = "the grant of epoch " + std::to_string(epoch);
      if (of_.grants[i].length != length)
        return name + " saw " + std::to_string(of_.grants[i].length)
               + " events of " + std::to_string(length);
      all_.push_back({of_.grants[i].span, {length, epoch}, kind::change, name});
    }
    return {};
  }

  std::string check_appends() {
    std::unordered_map<std::string_view, bool> begun;
    for (const auto& one : of_.appends) {
      const auto name = "the append of " + quoted(one.body);
      if (!begun.emplace(one.body, true).second)
        return quoted(one.body) + " was begun twice";
      const auto found = places_.find(one.body);
      const bool is_there = found != places_.end();
      if (is_there && of_.log[found->second - 1].epoch != one.epoch)
        return name + " is on the log with another epoch";
      switch (one.outcome) {
        case append_outcome::acknowledged:
          if (!is_there || found->second != one.place)
            return name + " is not on the log at its place";
          all_.push_back({one.span, {one.place, 0}, kind::change, name});
          break;
        case append_outcome::unknown:
          if (is_there)
            all_.push_back({{one.span.begin, call_span::open},
                            {found->second, 0},
                            kind::change,
                            name});
          break;
        case append_outcome::refused:
          if (is_there)
            return name + " was refused and is on the log";
          if (one.epoch >= of_.grants.size())
            return name + " was refused though no later epoch was granted";
          all_.push_back({one.span,
                          {before_epoch(one.epoch + 1), one.epoch + 1},
                          kind::refusal,
                          name});
      }
    }
    for (const auto& one : of_.log)
      if (!begun.contains(one.body))
        return quoted(one.body) + " is on the log and was never appended";
    return {};
  }

  std::string check_reads() {
    for (const auto& one : of_.reads) {
      const auto length = one.bodies.size();
      const auto name = "the read of " + std::to_string(length) + " events";
      if (length > of_.log.size()
          || !std::ranges::equal(one.bodies, std::span{of_.log}.first(length),
                                 {}, {}, &logged_append::body))
        return name + " did not see a prefix of the log";
      all_.push_back({one.span, {length, 0}, kind::read, name});
    }
    return {};
  }

  /// Whether `later` may come after something that stands at `place`.
  static bool may_follow(const operation& later, const order_place& place) {
    switch (later.is) {
      case kind::change: // has a place of its own
        return later.place > place;
      case kind::read: // before or after take-overs at the same length
        return later.place.events >= place.events;
      case kind::refusal: // as late as it must
        break;
    }
    return true;
  }

  std::string check_order() {
    std::vector<const operation*> by_begin;
    for (const auto& one : all_)
      by_begin.push_back(&one);
    auto by_end = by_begin;
    std::ranges::sort(by_begin, {}, [](auto* one) { return one->span.begin; });
    std::ranges::sort(by_end, {}, [](auto* one) { return one->span.end; });
    const operation* last = nullptr; // of those that have ended
    auto ended = by_end.begin();
    for (const auto* one : by_begin) {
      for (; ended != by_end.end() && (*ended)->span.end < one->span.begin;
           ++ended)
        if (last == nullptr || last->place < (*ended)->place)
          last = *ended;
      if (last != nullptr && !may_follow(*one, last->place))
        return one->name + " began after " + last->name
               + " had ended, and comes before it";
    }
    return {};
  }

  const append_history& of_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<operation> all_;
};

} // namespace

std::string judge(const append_history& history) {
  return judgement{history}.pronounce();
}

} // namespace convene::test
