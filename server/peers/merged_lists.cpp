#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/peers/merged_lists.hpp>
#include <convene/server/sessions/session_catalog.hpp>

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::text_of;

json::array missing_of(const std::vector<node_answer>& all) {
  json::array made;
  for (const auto& each : all) {
    if (each.reason.empty())
      continue;
    json::object one{{"node", each.node}, {"reason", each.reason}};
    if (each.reason == "refused")
      one["status"] = each.status;
    made.push_back(std::move(one));
  }
  return made;
}

struct keyed_row {
  std::string key;
  json::object row;
};

std::string key_of(const json::object& row) {
  return start_key(text_of(row, "started_at"), text_of(row, "session_id"));
}

/// Words that a list of this length leaves out are left out of the sum, too.
void add_counts(json::object& to, const json::object& from) {
  for (const auto& [word, count] : from) {
    if (!count.is_int64() || count.get_int64() < 0)
      continue;
    auto* const known = to.if_contains(word);
    if (known != nullptr)
      *known = known->get_int64() + count.get_int64();
    else if (to.size() < session_sums::words_max)
      to[word] = count.get_int64();
  }
}

class sums_of_all {
public:
  void add(const json::object& one) {
    for (auto* const each : {&statuses_, &modes_, &conditions_})
      add_counts(*each,
                 protocol::object_of(one, each == &statuses_ ? "statuses"
                                          : each == &modes_  ? "modes"
                                                             : "conditions"));
    json::object numbers;
    for (const auto* name : {"matching", "completed_with_failures"})
      if (const auto* count = one.if_contains(name))
        numbers[name] = *count;
    add_counts(numbers_, numbers);
  }

  [[nodiscard]] json::object made() && {
    numbers_.emplace("matching", 0);
    numbers_.emplace("completed_with_failures", 0);
    numbers_["statuses"] = std::move(statuses_);
    numbers_["modes"] = std::move(modes_);
    numbers_["conditions"] = std::move(conditions_);
    return std::move(numbers_);
  }

private:
  json::object numbers_;
  json::object statuses_;
  json::object modes_;
  json::object conditions_;
};

/// The first rows, without what lies behind the end of a node's page.
class merged_rows {
public:
  explicit merged_rows(const merged_page& how) : how_{how} {}

  void add(json::object& page) {
    std::string last;
    for (auto& each : page["sessions"].as_array()) {
      if (!each.is_object())
        continue;
      last = key_of(each.get_object());
      rows_.push_back({last, std::move(each.get_object())});
    }
    const auto* const next = page.if_contains("next");
    if (next == nullptr || !next->is_string())
      return;
    if (end_.empty() || is_before(last, end_))
      end_ = last;
  }

  json::value take(json::array& into) && {
    std::ranges::stable_sort(rows_, [this](const auto& a, const auto& b) {
      return is_before(a.key, b.key);
    });
    std::unordered_set<std::string> seen;
    std::string last;
    for (auto& [key, row] : rows_) {
      if (into.size() == how_.limit || (!end_.empty() && is_before(end_, key)))
        return json::value(last);
      last = key;
      if (seen.emplace(text_of(row, "session_id")).second)
        into.push_back(std::move(row));
    }
    return end_.empty() ? json::value() : json::value(last);
  }

private:
  [[nodiscard]] bool is_before(const std::string& a,
                               const std::string& b) const {
    return how_.newest_first ? b < a : a < b;
  }

  const merged_page how_;
  std::vector<keyed_row> rows_;
  std::string end_; ///< no node has told of what is behind it
};

} // namespace

bool is_list(node_answer& from, const char* member, json::object& into) {
  if (!from.reason.empty())
    return false;
  if (from.status != 200) {
    from.reason = "refused";
    return false;
  }
  auto read = protocol::parse_json(from.body);
  from.body = {};
  if (read && read->is_object()) {
    const auto* const list = read->get_object().if_contains(member);
    if (list != nullptr && list->is_array()) {
      into = std::move(read->get_object());
      return true;
    }
  }
  from.reason = "unreadable";
  return false;
}

json::object merge_sessions(std::vector<node_answer> from,
                            const merged_page& how) {
  merged_rows rows{how};
  sums_of_all sums;
  for (auto& each : from) {
    json::object page;
    if (!is_list(each, "sessions", page))
      continue;
    rows.add(page);
    sums.add(protocol::object_of(page, "sums"));
  }
  json::array sessions;
  auto next = std::move(rows).take(sessions);
  json::object made{{"sessions", std::move(sessions)},
                    {"next", std::move(next)},
                    {"missing", missing_of(from)}};
  if (how.has_sums)
    made["sums"] = std::move(sums).made();
  return made;
}

json::object merge_requests(std::vector<node_answer> from, std::size_t limit,
                            std::size_t bytes_max) {
  std::vector<json::array> lists;
  bool more = false;
  std::size_t longest = 0;
  for (auto& each : from) {
    json::object page;
    if (!is_list(each, "requests", page))
      continue;
    const auto* const has_more = page.if_contains("more");
    more = more
           || (has_more != nullptr && has_more->is_bool()
               && has_more->get_bool());
    lists.push_back(std::move(page["requests"].get_array()));
    longest = std::max(longest, lists.back().size());
  }
  json::array requests;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < longest; ++i)
    for (auto& list : lists) {
      if (i >= list.size())
        continue;
      bytes += json::serialize(list[i]).size();
      if (requests.size() == limit
          || (bytes > bytes_max && !requests.empty())) {
        more = true;
        continue;
      }
      requests.push_back(std::move(list[i]));
    }
  return {{"requests", std::move(requests)},
          {"more", more},
          {"missing", missing_of(from)}};
}

} // namespace convene::server
