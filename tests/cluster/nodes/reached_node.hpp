#pragma once

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <cli/program.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <server/http/raw_client.hpp>
#include <support/certificates.hpp>
#include <support/postgres/postgres_server.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace convene::tests {

namespace json = boost::json;

inline void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
}

/// A database with certificates for the nodes that share it.
struct cluster_rig {
  scratch_folder folder;
  std::string url = postgres_server::is_installed()
                      ? postgres_server::shared().fresh_database()
                      : std::string{};
  test_authority ca{folder / "."};
};

/// A server of the program that other nodes reach.
class reached_node {
public:
  reached_node(const cluster_rig& in, const std::string& name,
               const std::string& labels = "zone=x",
               const std::string& tls = {})
    : cluster_{in.url}, name_{name}, running_{with(in, labels, tls)} {
    while (!running_.output().ends_with('\n')) {
      if (running_.has_ended())
        FAIL(running_.wait().err);
      wait_a_little();
    }
    const auto out = running_.output();
    port_
      = static_cast<std::uint16_t>(std::stoul(out.substr(out.rfind(':') + 1)));
  }

  /// Until the others know where it is.
  [[nodiscard]] json::object listed() const {
    for (;;) {
      const auto done = run({"nodes", "--cluster", cluster_, "--json"});
      REQUIRE(done.code == 0);
      const auto all = convene::protocol::parse_json(done.out);
      for (const auto& one : all->at("nodes").as_array())
        if (one.at("name").as_string() == name_
            && one.at("lease").as_string() == "valid"
            && !one.at("address").as_string().empty())
          return one.as_object();
      wait_a_little();
    }
  }

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }
  [[nodiscard]] std::uint16_t peer_port() const {
    const std::string at{listed().at("peer_address").as_string()};
    return static_cast<std::uint16_t>(std::stoul(at.substr(at.rfind(':') + 1)));
  }

  [[nodiscard]] raw_client
  ask(const std::string& line, const std::string& headers = {},
      const std::string& body = {}, int receive_bytes = 0) const {
    raw_client client{port_, receive_bytes};
    client.send(line + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_)
                + "\r\n" + headers
                + (body.empty() ? std::string{}
                                : "Content-Type: application/json\r\n"
                                  "Content-Length: "
                                    + std::to_string(body.size()) + "\r\n")
                + "\r\n" + body);
    return client;
  }
  [[nodiscard]] std::string answer(const std::string& line,
                                   const std::string& headers = {},
                                   const std::string& body = {}) const {
    return ask(line, headers, body).answer();
  }

  [[nodiscard]] const std::string& name() const {
    return name_;
  }
  [[nodiscard]] json::object object(const std::string& line) const {
    const auto got = answer("GET " + line);
    INFO(got);
    REQUIRE(status_of(got) == 200);
    return convene::protocol::parse_json(got.substr(got.find("\r\n\r\n") + 4))
      ->as_object();
  }

  void signal(int number) const {
    running_.signal(number);
  }
  [[nodiscard]] finished stopped_by(int number) {
    running_.signal(number);
    return running_.wait();
  }

  /// The id of a session that it begins itself, unless the query says
  /// otherwise.
  [[nodiscard]] std::string begin(const std::string& query,
                                  const std::string& headers = {}) const {
    return begun_with(query, headers,
                      read_bytes(examples_folder + "server/review.json"));
  }

  [[nodiscard]] std::string draft() const {
    auto body = *convene::protocol::parse_json(
      read_bytes(examples_folder + "server/review.json"));
    body.as_object()["start"] = false;
    return begun_with("", {}, json::serialize(body));
  }

private:
  [[nodiscard]] std::string begun_with(const std::string& query,
                                       const std::string& headers,
                                       const std::string& scenario) const {
    const auto got = answer("POST /v1/sessions" + query, headers, scenario);
    INFO(got);
    REQUIRE(status_of(got) == 201);
    const auto body
      = convene::protocol::parse_json(got.substr(got.find("\r\n\r\n") + 4));
    return std::string{body->at("session_id").as_string()};
  }

  [[nodiscard]] std::vector<std::string> with(const cluster_rig& in,
                                              const std::string& labels,
                                              const std::string& tls) const {
    std::vector<std::string> all{
      "serve",     "--listen", "127.0.0.1:0", "--data", folder_ / "data",
      "--cluster", in.url,     "--node",      name_,    "--labels",
      labels};
    if (tls != "none") {
      all.insert(all.end(), {"--peer-listen", "127.0.0.1:0", "--peer-tls",
                             tls.empty() ? in.ca.issue(name_) : tls});
    }
    return all;
  }

  scratch_folder folder_;
  std::string cluster_;
  std::string name_;
  program running_;
  std::uint16_t port_ = 0;
};

} // namespace convene::tests
