#include <catch2/catch.hpp>
#include <cluster/append_history.hpp>
#include <support/dice.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>

namespace convene::test {
namespace {

/// Tries all orders that time allows: what linearizability means, word by word.
class every_order {
public:
  explicit every_order(const append_history& of) : of_(of) {
    for (std::size_t i = 0; i < of.grants.size(); ++i)
      steps_.push_back({of.grants[i].span, false, [this, i] {
                          return epoch_ == i && ++epoch_ > i
                                 && of_.grants[i].length == log_.size();
                        }});
    for (const auto& one : of.appends)
      steps_.push_back({one.outcome == append_outcome::unknown
                          ? call_span{one.span.begin, call_span::open}
                          : one.span,
                        one.outcome == append_outcome::unknown,
                        [this, &one] { return append(one); }});
    for (const auto& one : of.reads)
      steps_.push_back({one.span, false, [this, &one] {
                          return std::ranges::equal(one.bodies, log_, {}, {},
                                                    &logged_append::body);
                        }});
  }

  bool has_one() {
    if (std::ranges::all_of(steps_, &step::is_done) && log_ == of_.log)
      return true;
    for (auto& one : steps_) {
      if (one.is_done || !may_be_next(one))
        continue;
      one.is_done = true;
      const auto epoch = epoch_;
      const auto log = log_;
      if ((one.apply() && has_one())
          || (epoch_ = epoch, log_ = log, one.may_be_left_out && has_one()))
        return true;
      epoch_ = epoch;
      log_ = log;
      one.is_done = false;
    }
    return false;
  }

private:
  struct step {
    call_span span;
    bool may_be_left_out;
    std::function<bool()> apply;
    bool is_done = false;
  };

  [[nodiscard]] bool may_be_next(const step& one) const {
    return std::ranges::none_of(steps_, [&](const step& other) {
      return !other.is_done && other.span.end < one.span.begin;
    });
  }

  bool append(const append_call& one) {
    const bool is_owner = one.epoch == epoch_;
    if (one.outcome == append_outcome::refused)
      return one.epoch < epoch_;
    if (is_owner)
      log_.push_back({one.epoch, one.body});
    return is_owner
           && (one.outcome == append_outcome::unknown
               || one.place == log_.size());
  }

  const append_history& of_;
  std::vector<step> steps_;
  std::uint64_t epoch_ = 0;
  std::vector<logged_append> log_;
};

/// Something that can have happened, one operation at a time; each takes its
/// effect somewhere within its span.
append_history random_history(dice& d) {
  append_history made;
  std::uint64_t now = 10;
  const auto span = [&] {
    now += 1 + d.below(4);
    return call_span{now - d.below(6), now + d.below(6)};
  };
  made.grants.push_back({span(), 0});
  const auto most = 2 + d.below(5);
  for (std::uint32_t i = 0; i < most; ++i) {
    const auto what = d.below(10);
    const auto body = std::string(1, static_cast<char>('a' + i));
    if (what < 5) {
      const bool is_seen = d.chance(70);
      made.log.push_back({made.grants.size(), body});
      made.appends.push_back(
        {span(), made.grants.size(), body,
         is_seen ? append_outcome::acknowledged : append_outcome::unknown,
         is_seen ? made.log.size() : 0});
    } else if (what < 6) {
      made.appends.push_back({span(), 1 + d.below(2), body});
    } else if (what < 7 && made.grants.size() > 1) {
      made.appends.push_back({span(), 1 + d.below(made.grants.size() - 1), body,
                              append_outcome::refused});
    } else if (what < 8) {
      made.grants.push_back({span(), made.log.size()});
    } else {
      read_call seen{span(), {}};
      for (const auto& one : made.log)
        seen.bodies.push_back(one.body);
      made.reads.push_back(std::move(seen));
    }
  }
  return made;
}

void move_span(dice& d, call_span& what) {
  const auto by = d.below(12);
  const bool is_earlier = d.chance(50);
  what.begin = is_earlier ? what.begin - std::min<std::uint64_t>(what.begin, by)
                          : what.begin + by;
  if (what.end != call_span::open)
    what.end = std::max(what.begin, is_earlier ? what.end - by : what.end + by);
}

/// Changes one thing, which may make it impossible.
void spoil(dice& d, append_history& in) {
  switch (d.below(8)) {
    case 0:
      return move_span(d, in.grants[d.below(in.grants.size())].span);
    case 1:
      if (!in.appends.empty())
        move_span(d, in.appends[d.below(in.appends.size())].span);
      return;
    case 2:
      if (!in.reads.empty())
        move_span(d, in.reads[d.below(in.reads.size())].span);
      return;
    case 3:
      if (in.log.size() > 1)
        std::swap(in.log[d.below(in.log.size())],
                  in.log[d.below(in.log.size())]);
      return;
    case 4:
      if (!in.log.empty())
        in.log.pop_back();
      return;
    case 5:
      if (!in.appends.empty()) {
        auto& one = in.appends[d.below(in.appends.size())];
        one.epoch = 1 + d.below(in.grants.size());
        for (auto& kept : in.log)
          if (kept.body == one.body && d.chance(70))
            kept.epoch = one.epoch;
      }
      return;
    case 6:
      if (!in.appends.empty())
        in.appends.erase(in.appends.begin() + d.below(in.appends.size()));
      return;
    default:
      in.grants[d.below(in.grants.size())].length = d.below(3);
  }
}

std::uint32_t chosen_seed() {
  const char* given = std::getenv("CONVENE_SEED");
  const auto seed = given != nullptr
                      ? static_cast<std::uint32_t>(std::stoul(given))
                      : std::random_device{}();
  std::cout << "seed " << seed << " (CONVENE_SEED)\n";
  return seed;
}

append_call acknowledged(std::uint64_t begin, std::uint64_t end,
                         std::uint64_t epoch, std::string body,
                         std::uint64_t place) {
  return {
    {begin, end}, epoch, std::move(body), append_outcome::acknowledged, place};
}

} // namespace

TEST_CASE("a history is accepted exactly if some order of it is possible") {
  dice d{chosen_seed()};
  int possible = 0;
  int impossible = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto history = random_history(d);
    const bool is_spoiled = d.chance(70);
    for (auto n = is_spoiled ? 1 + d.below(2) : 0; n > 0; --n)
      spoil(d, history);
    const bool expected = every_order{history}.has_one();
    const auto wrong = judge(history);
    INFO("history " << i << ": " << wrong);
    REQUIRE(wrong.empty() == expected);
    if (!is_spoiled)
      REQUIRE(expected);
    ++(expected ? possible : impossible);
  }
  CHECK(possible > 1'000);
  CHECK(impossible > 1'000);
}

TEST_CASE(
  "an event of the former owner after the take-over has read is found") {
  const append_history history{.grants = {{{1, 2}, 0}, {{5, 8}, 1}},
                               .appends = {acknowledged(3, 4, 1, "a", 1),
                                           acknowledged(6, 9, 1, "b", 2),
                                           acknowledged(10, 11, 2, "c", 3)},
                               .reads = {},
                               .log = {{1, "a"}, {1, "b"}, {2, "c"}}};
  CHECK(judge(history) == "the grant of epoch 2 saw 1 events of 2");
}

TEST_CASE("an acknowledged event that is lost is found") {
  const append_history history{.grants = {{{1, 2}, 0}},
                               .appends = {acknowledged(3, 4, 1, "a", 1)},
                               .reads = {},
                               .log = {}};
  CHECK(judge(history) == "the append of \"a\" is not on the log at its place");
}

TEST_CASE("a read that misses what was acknowledged before it is found") {
  const append_history history{.grants = {{{1, 2}, 0}},
                               .appends = {acknowledged(3, 4, 1, "a", 1)},
                               .reads = {{{5, 6}, {}}},
                               .log = {{1, "a"}}};
  CHECK(
    judge(history)
    == "the read of 0 events began after the append of \"a\" had ended, and "
       "comes before it");
}

} // namespace convene::test
