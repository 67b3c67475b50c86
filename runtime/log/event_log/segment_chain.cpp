#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/segment_chain.hpp>

#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

result<void> check_opened_as(const group_scanner& scan, std::uint32_t number,
                             const std::optional<std::uint32_t>& chain) {
  const auto& opened = *scan.opened();
  if (opened.segment != number)
    return scan.fault(1, "log_damaged",
                      "log_opened says segment "
                        + std::to_string(opened.segment)
                        + ", the file's name says " + std::to_string(number));
  if (chain && opened.previous != chain)
    return scan.fault(
      1, "log_damaged",
      "log_opened says crc32c "
        + (opened.previous ? to_hex(*opened.previous) : std::string{"null"})
        + " of the segment before, whose last group has " + to_hex(*chain));
  return {};
}

tl::unexpected<protocol::error> ends_inside_group(const group_scanner& scan) {
  return scan.fault(scan.place().line, "log_damaged",
                    "the segment ends inside a group, the one at byte "
                      + std::to_string(scan.place().offset)
                      + ", yet there is another one behind it");
}

result<std::uint64_t> segment_chain::finish(const group_scanner& scan,
                                            bool last) {
  if (last && segment_ > 0 && scan.only_begun())
    return scan.tail_bytes();
  auto tail = scan.finish();
  if (!tail)
    return tail;
  if (!last && *tail != 0)
    return ends_inside_group(scan);
  if (auto follows = follow(scan); !follows)
    return fail(std::move(follows).error());
  return tail;
}

result<void> segment_chain::follow(const group_scanner& scan) {
  const auto expected = segment_ + 1;
  const auto& opened = *scan.opened(); // else scan.finish() had failed
  if (opened.segment != expected)
    return scan.fault(1, "log_damaged",
                      "the file is segment " + std::to_string(opened.segment)
                        + " of a log, but segment " + std::to_string(expected)
                        + " comes here: put it back");
  if (opened.previous && *opened.previous != last_crc_
      && !off(log_mutant::chain_of_segments))
    return scan.fault(1, "log_damaged",
                      "log_opened says that segment " + std::to_string(segment_)
                        + " ends with crc32c " + to_hex(*opened.previous)
                        + ", it ends with " + to_hex(last_crc_)
                        + ": its end is missing");
  segment_ = expected;
  last_crc_ = scan.place().previous_crc;
  return {};
}

} // namespace convene::host
