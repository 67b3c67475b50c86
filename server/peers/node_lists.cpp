#include <convene/server/peers/cluster_front.hpp>
#include <convene/server/peers/peer_request.hpp>

#include <algorithm>
#include <utility>

// Lists of a node that the query names.

namespace convene::server {
namespace {

response cannot_ask(const std::string& node, std::string_view why) {
  auto made = error_response(error_form::native, 503, "node_unavailable",
                             "node \"" + node
                               + "\" cannot be asked: " + std::string{why},
                             {{"node", node}});
  made.headers.emplace_back("Retry-After", "5");
  return made;
}

} // namespace

bool cluster_front::is_for_one_node(const request& from) const {
  return !from.parameter_of_query("node").value_or("").empty()
         || !from.header(passed_on_header).empty();
}

void cluster_front::ask_node(const request& from, const responder& to,
                             const handler& here) {
  const std::string node{from.parameter_of_query("node").value_or("")};
  if (node.empty() || node == how_.node
      || !from.header(passed_on_header).empty())
    return here(from, to);
  const auto what
    = std::make_shared<const asked>(asked{from, to, here, std::string{}});
  view_.list([this, what, node](auto nodes) {
    if (!nodes)
      return what->to(cannot_ask(node, "the cluster's database does not "
                                       "answer; try again"));
    const auto at = std::ranges::find_if(*nodes, [&](const auto& one) {
      return one.is.name == node && one.lease.count() > 0;
    });
    if (at == nodes->end())
      return what->to(cannot_ask(node, "no node of this name is up; convene "
                                       "nodes lists the nodes"));
    if (!client_ || at->is.peer_address.empty())
      return what->to(cannot_ask(node, "it and this node must be started with "
                                       "--peer-listen and --peer-tls"));
    pass(
      what, node, at->is.peer_address, [](response&) {},
      [what, node](const passed_call::failure& why) {
        what->to(cannot_ask(node, why.message));
      });
  });
}

} // namespace convene::server
