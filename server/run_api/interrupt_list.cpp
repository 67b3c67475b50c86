#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/run_api/answers.hpp>
#include <convene/server/run_api/bodies.hpp>
#include <convene/server/run_api/interrupt_list.hpp>
#include <convene/server/run_api/interrupt_tokens.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::interrupt_kind;
using protocol::result;

constexpr std::int64_t listed_default = 100;
constexpr std::int64_t listed_max = 1'000;
constexpr std::size_t list_bytes_max = std::size_t{4} << 20;
constexpr std::size_t turns_shown = 20;
constexpr std::size_t rows_at_once = 100;

/// `kind=approval,conversation.start`; empty: all. `conversation`, RFC 0005's
/// one kind, stands for those of all its operations.
result<std::vector<interrupt_kind>> read_kinds(const request& from) {
  std::vector<interrupt_kind> all;
  auto left = from.parameter_of_query("kind").value_or("");
  while (!left.empty()) {
    const auto word = left.substr(0, left.find(','));
    const auto kind = protocol::from_word<interrupt_kind>(word);
    if (!kind)
      return protocol::fail(
        {.code = protocol::errc::invalid_document,
         .message = "there is no interrupt of kind " + protocol::quote(word),
         .rule = "enum"});
    all.push_back(*kind);
    left.remove_prefix(std::min(left.size(), word.size() + 1));
  }
  return all;
}

bool is_wanted(interrupt_kind kind, const std::vector<interrupt_kind>& wanted) {
  return wanted.empty() || std::ranges::any_of(wanted, [kind](auto each) {
           return each == kind
                  || (each == interrupt_kind::conversation
                      && is_conversation(kind));
         });
}

/// Collects what is open until the list is full.
class interrupt_page {
public:
  interrupt_page(run_host& host, std::vector<interrupt_kind> wanted,
                 std::size_t limit, turn_view view)
    : host_{host}, wanted_{std::move(wanted)}, limit_{limit}, view_{std::move(
                                                                view)} {}

  void collect() {
    for (std::size_t from = 0; !more_;) {
      const auto page = host_.catalog().list_waiting(from, rows_at_once);
      for (const auto& row : page.rows)
        add(row);
      from = page.next;
      if (from == 0)
        return;
    }
  }

  void collect(std::string_view run_id) {
    const auto id = protocol::parse_uuid(run_id);
    if (const auto row = id ? host_.catalog().find(*id) : std::nullopt)
      add(*row);
  }

  [[nodiscard]] json::object take() {
    return {{"interrupts", std::move(all_)}, {"more", more_}};
  }

private:
  void add(const run_row& row) {
    const auto run = row.waiting.empty() ? nullptr
                                         : host_.find(to_string(row.id));
    if (!run || run->fault())
      return;
    for (const auto& each : row.waiting) {
      if (!is_wanted(each.kind, wanted_))
        continue;
      if (all_.size() >= limit_ || bytes_ >= list_bytes_max) {
        more_ = true;
        return;
      }
      auto made = describe_open(*run, each.node_id, each.interrupt_id,
                                turns_shown);
      if (!made)
        continue;
      (*made)["workflowId"] = row.workflow_id;
      if (each.deadline)
        (*made)["deadline"] = protocol::format_timestamp(*each.deadline);
      json::value shown = *std::move(made);
      if (!view_.sees_all())
        view_.apply(shown);
      bytes_ += json::serialize(shown).size();
      all_.push_back(std::move(shown));
    }
  }

  run_host& host_;
  const std::vector<interrupt_kind> wanted_;
  const std::size_t limit_;
  const turn_view view_;
  json::array all_;
  std::size_t bytes_ = 0;
  bool more_ = false;
};

} // namespace

void list_interrupts(run_host& host, const request& asked,
                     const responder& to) {
  const auto limit = read_number(asked, "limit", 1, listed_max, listed_default);
  auto kinds = read_kinds(asked);
  if (!limit || !kinds)
    return to(invalid(limit ? kinds.error() : limit.error()));
  interrupt_page page{host, *std::move(kinds), static_cast<std::size_t>(*limit),
                      view_of(asked)};
  if (const auto run = asked.parameter_of_query("run"); run && !run->empty())
    page.collect(*run);
  else
    page.collect();
  // A run may be ahead of what is durable.
  host.when_durable([to, made = page.take()](const auto& kept) {
    to(kept ? json_response(200, made) : failure(kept.error()));
  });
}

} // namespace convene::server
