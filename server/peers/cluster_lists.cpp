#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/peers/merged_lists.hpp>
#include <convene/server/peers/peer_request.hpp>
#include <convene/server/session_api/answers.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <utility>

// Lists of all nodes, and answers to questions that any of them may have asked.

namespace convene::server {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

/// A node that takes longer is named as missing.
constexpr milliseconds list_time{4'000};
/// For an answer to become durable.
constexpr milliseconds reply_time{35'000};
/// Rows of sessions that are asked for at once, of all nodes together.
constexpr std::size_t rows_max = 20'000;
constexpr std::size_t node_bytes_min = std::size_t{1} << 20;
constexpr std::size_t requests_bytes_max = std::size_t{4} << 20;
constexpr std::uint64_t limit_default = 100;
constexpr std::uint64_t limit_max = 1'000;
constexpr const char* first_page = "~";

/// Takes what an endpoint of this node answers.
class heard_answer : public responder::target {
public:
  /// `keeps_time`: what the endpoint answers after a time goes to `to`.
  heard_answer(responder to, bool keeps_time,
               std::function<void(response)> then)
    : to_{std::move(to)}, keeps_time_{keeps_time}, then_{std::move(then)} {}

  void answer(response what) override {
    if (!has_come_.exchange(true))
      then_(std::move(what));
  }
  void answer_after(milliseconds time,
                    std::function<response()> make) override {
    if (keeps_time_)
      to_.after(time, std::move(make));
  }
  [[nodiscard]] bool is_answered() const override {
    return to_.is_answered();
  }

private:
  const responder to_;
  const bool keeps_time_;
  const std::function<void(response)> then_;
  std::atomic<bool> has_come_ = false;
};

responder heard(const responder& to, bool keeps_time,
                std::function<void(response)> then) {
  return responder{
    std::make_shared<heard_answer>(to, keeps_time, std::move(then))};
}

bool has_requests(unsigned status, std::string_view body) {
  return status == 200 && !body.starts_with(R"({"requests":[])");
}

response of_no_list(const request& from) {
  return refusal({.code = protocol::errc::usage,
                  .message = "`after` in the query is not `next` of a page of "
                             "this list: a number belongs to the list of one "
                             "node, with `node`",
                  .rule = "usage"},
                 from);
}

} // namespace

void cluster_front::ask_others(const std::shared_ptr<asked_nodes>& asking,
                               std::function<request(std::size_t)> make,
                               milliseconds time) {
  view_.list([this, asking, make = std::move(make), time](auto nodes) {
    if (nodes)
      return begin_asking(asking, make, time, *nodes);
    spdlog::warn("which nodes are up cannot be found out: {}",
                 to_string(nodes.error()));
    const auto last = view_.last_list();
    if (last.empty())
      return asking->begin(nullptr, {},
                           {{.node = "*", .body = {}, .reason = "unknown"}});
    begin_asking(asking, make, time, last);
  });
}

void cluster_front::begin_asking(
  const std::shared_ptr<asked_nodes>& asking,
  const std::function<request(std::size_t)>& make, milliseconds time,
  const std::vector<host::cluster_node>& nodes) {
  std::set<std::string> up;
  std::vector<const host::cluster_node*> called;
  std::vector<node_answer> missing;
  for (const auto& one : nodes) {
    if (one.lease.count() <= 0 || !up.insert(one.is.name).second)
      continue;
    if (is_own(one.is.name, one.boot_id))
      continue;
    if (client_ && !one.is.peer_address.empty())
      called.push_back(&one);
    else
      missing.push_back(
        {.node = one.is.name, .body = {}, .reason = "not_connected"});
  }
  up.insert(how_.node);
  for (const auto& one : nodes)
    if (one.has_sessions && up.insert(one.is.name).second)
      missing.push_back({.node = one.is.name, .body = {}, .reason = "down"});
  std::vector<asked_nodes::call> calls;
  const auto what = called.empty() ? request{} : make(called.size() + 1);
  for (const auto* one : called) {
    auto call = peer_request(what, how_.node, one->is.name,
                             one->is.peer_address);
    call.timeout_ms = time.count();
    call.body_bytes_max = std::max(node_bytes_min,
                                   answer_bytes_max_ / called.size());
    calls.push_back({one->is.name, std::move(call)});
  }
  asking->begin(client_ ? &*client_ : nullptr, std::move(calls),
                std::move(missing));
}

void cluster_front::list_sessions(const request& from, const responder& to,
                                  const handler& here) {
  auto own = from;
  auto& after = own.query["after"];
  if (after.empty() || after == "0")
    after = first_page;
  if (after.find('~') == after.npos)
    return to(of_no_list(from));
  here(own, heard(to, true, [this, own, to](response got) {
         if (got.status != 200)
           return to(std::move(got));
         const auto limit = static_cast<std::size_t>(
           *number_of(own, "limit", limit_default, 1, limit_max));
         const merged_page how{
           .limit = limit,
           .newest_first = own.parameter_of_query("order") == "newest",
           .has_sums = own.parameter_of_query("sums") == "yes"};
         const auto asking = std::make_shared<asked_nodes>(
           [to, how, node = how_.node,
            body = std::move(got.body)](std::vector<node_answer> all) {
             all.push_back({.node = node, .status = 200, .body = body});
             to(json_response(200, merge_sessions(std::move(all), how)));
           });
         ask_others(
           asking,
           [own, limit](std::size_t nodes) {
             auto made = own;
             made.query["limit"] = std::to_string(
               std::clamp<std::size_t>(rows_max / nodes, 1, limit));
             return made;
           },
           list_time);
       }));
}

void cluster_front::gather_requests(const request& from, const responder& to,
                                    const handler& here,
                                    std::function<void(json::object)> then) {
  auto own = from;
  own.query.erase("wait_ms");
  here(own, heard(to, true, [this, own, to, then](response got) {
         if (got.status != 200)
           return to(std::move(got));
         const auto limit = static_cast<std::size_t>(
           *number_of(own, "limit", limit_default, 1, limit_max));
         const auto asking = std::make_shared<asked_nodes>(
           [then, limit, node = how_.node,
            body = std::move(got.body)](std::vector<node_answer> all) {
             all.push_back({.node = node, .status = 200, .body = body});
             then(merge_requests(std::move(all), limit, requests_bytes_max));
           });
         ask_others(
           asking, [own](std::size_t) { return own; }, list_time);
       }));
}

void cluster_front::list_requests(const request& from, const responder& to,
                                  const handler& here) {
  const auto wait = number_of(from, "wait_ms", 0, 0, wait_ms_max);
  if (!wait)
    return to(refusal(wait.error(), from));
  gather_requests(from, to, here,
                  [this, from, to, here,
                   time = milliseconds{*wait}](const json::object& found) {
                    if (time.count() == 0
                        || !found.at("requests").as_array().empty())
                      return to(json_response(200, found));
                    wait_for_requests(from, to, here, time, found);
                  });
}

/// Each node waits for its own; the first one that has some is enough to look
/// at all of them again.
void cluster_front::wait_for_requests(const request& from, const responder& to,
                                      const handler& here, milliseconds time,
                                      const json::object& none) {
  const auto has_one = [](const node_answer& one) {
    return has_requests(one.status, one.body);
  };
  const auto look_again = [this, from, to, here] {
    if (!to.is_answered())
      gather_requests(from, to, here, [to](const json::object& found) {
        to(json_response(200, found));
      });
  };
  const auto asking = std::make_shared<asked_nodes>(
    [look_again, has_one](const std::vector<node_answer>& all) {
      if (std::ranges::any_of(all, has_one))
        look_again();
    },
    has_one);
  to.after(time, [asking, none] {
    asking->cancel();
    return json_response(200, none);
  });
  ask_others(
    asking, [from](std::size_t) { return from; }, time + list_time);
  here(from, heard(to, false, [asking, look_again](const response& got) {
         if (!has_requests(got.status, got.body))
           return;
         asking->cancel();
         look_again();
       }));
}

void cluster_front::reply(const request& from, const responder& to,
                          const handler& here) {
  here(from, heard(to, true, [this, from, to](response got) {
         if (got.status != 404)
           return to(std::move(got));
         const auto has_it = [](const node_answer& one) {
           return one.reason.empty() && one.status != 404;
         };
         const auto asking = std::make_shared<asked_nodes>(
           [to, got = std::move(got),
            has_it](const std::vector<node_answer>& all) {
             if (const auto it = std::ranges::find_if(all, has_it);
                 it != all.end())
               return to({.status = it->status, .body = it->body});
             const auto away = std::ranges::find_if(all, [](const auto& one) {
               return !one.reason.empty();
             });
             if (away == all.end())
               return to(got);
             auto made
               = refusal(503, "node_unreachable",
                         "no node that has answered has asked this, and node \""
                           + away->node + "\" has not answered; try again",
                         {{"node", away->node}});
             made.headers.emplace_back("Retry-After", "2");
             made.is_of_key = false;
             to(std::move(made));
           },
           has_it);
         ask_others(
           asking, [from](std::size_t) { return from; }, reply_time);
       }));
}

} // namespace convene::server
