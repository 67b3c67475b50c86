#include <convene/actors/behaviours/settings.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/options.hpp>

namespace convene::actors {
namespace {

using namespace convene::protocol;

constexpr auto duration_range = between(0, session::duration_ms_max);

constexpr std::array<std::string_view, 3> shapes{"constant", "uniform",
                                                 "lognormal"};

struct uniform_shape {
  double min = 0;
  double max = 0;
};

struct lognormal_shape {
  double median = 0;
  double p99 = 0;
};

void describe(auto& v, of<uniform_shape> auto& x) {
  v.member("min", x.min, duration_range);
  v.member("max", x.max, duration_range);
}

void describe(auto& v, of<lognormal_shape> auto& x) {
  v.member("median", x.median, between(1, session::duration_ms_max));
  v.member("p99", x.p99, duration_range);
}

bool check_order(reading& r, const place& at, const distribution& what) {
  return what.low <= what.high
         || r.refuse(at, "order",
                     "the first number must not be above the other");
}

} // namespace

bool read(reading& r, const json::value& from, const place& at,
          const constraint&, script_decision& to) {
  if (from.is_array())
    return read(r, from, at, at_most(reply_decisions_max), to.list);
  return read(r, from, at, anything, to.list.emplace_back());
}

bool read(reading& r, const json::value& from, const place& at,
          const constraint&, distribution& to) {
  using shape = distribution::shape;
  if (from.is_number())
    return read_number(r, from, at, duration_range, to.low);
  const auto* object = from.if_object();
  if (object == nullptr || object->size() != 1)
    return r.refuse(at, object != nullptr ? "oneOf" : "type",
                    "write a number, or an object with exactly one of "
                    "constant, uniform and lognormal",
                    shorten_value(from));
  const std::string_view name = object->begin()->key();
  const auto& inside = object->begin()->value();
  const place within{&at, name, {}};
  if (name == "constant")
    return read_number(r, inside, within, duration_range, to.low);
  if (name == "uniform") {
    uniform_shape found;
    if (!protocol::read(r, inside, within, anything, found))
      return false;
    to = {shape::uniform, found.min, found.max};
    return check_order(r, within, to);
  }
  if (name == "lognormal") {
    lognormal_shape found;
    if (!protocol::read(r, inside, within, anything, found))
      return false;
    to = {shape::lognormal, found.median, found.p99};
    return check_order(r, within, to);
  }
  return r.refuse(within, "additionalProperties",
                  "no distribution has this name" + suggest(name, shapes),
                  shorten_value(inside));
}

} // namespace convene::actors
