#include <boost/json/array.hpp>
#include <convene/server/a2a/agent_card.hpp>

namespace convene::server {
namespace {

namespace json = boost::json;

json::object to_json(const std::string& id, const agent_skill& skill) {
  return {{"id", id},
          {"name", skill.name},
          {"description",
           skill.description.empty() ? skill.name : skill.description},
          {"tags", json::array{"multi-agent", skill.mode}}};
}

} // namespace

json::object agent_card(const agent_options& about, std::string_view host) {
  json::array skills;
  for (const auto& [id, each] : about.skills)
    skills.push_back(to_json(id, each));
  const auto url = about.url.empty()
                     ? (about.tls ? "https://" : "http://") + std::string{host}
                     : about.url;
  json::object made{
    {"name", "convene"},
    {"description",
     "Sessions in which several agents and people work on one task. A message "
     "starts one; metadata.skill names the kind if there are several."},
    {"version", about.version},
    {"supportedInterfaces",
     json::array{json::object{{"url", url},
                              {"protocolBinding", "HTTP+JSON"},
                              {"protocolVersion", "1.0"}}}},
    {"capabilities",
     {{"streaming", true},
      {"pushNotifications", about.pushes},
      {"extendedAgentCard", false}}},
    {"defaultInputModes", {"text/plain", "application/json"}},
    {"defaultOutputModes", {"text/plain", "application/json"}},
    {"skills", std::move(skills)}};
  if (about.wants_key) {
    made["securitySchemes"]
      = {{"key", {{"httpAuthSecurityScheme", {{"scheme", "Bearer"}}}}}};
    made["securityRequirements"] = json::array{
      json::object{{"schemes", {{"key", {{"list", json::array{}}}}}}}};
  }
  return made;
}

} // namespace convene::server
