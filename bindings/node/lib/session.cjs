"use strict";
const { readFileSync } = require("node:fs");
const { Agent } = require("./agent.cjs");
const { Runtime } = require("./runtime.cjs");

let made;

/** A runtime in memory, made once and closed at the end of the process. */
const defaultRuntime = () => made ??= new Runtime();

function refuseOthers(unknown) {
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`unknown option "${name}" of a session`);
}

function scenarioOf({ mode = "round_robin", participants, task = "", title = "", purpose = "",
                      options, ...unknown }) {
  refuseOthers(unknown);
  const behaviours = {};
  const roster = participants.map((each) => {
    if (each instanceof Agent) {
      return { participant_id: each.participantId, kind: each.kind, role_id: each.roleId };
    }
    const { behaviour, ...entry } = { kind: "agent", ...each };
    if (behaviour !== undefined) behaviours[entry.participant_id] = behaviour;
    return entry;
  });
  return {
    convene: "1", task: task || title || "session", behaviours,
    collab: { title: title || task || "session", purpose: purpose || task || "session", mode,
              participants: roster },
    ...(options && { session: options }),
  };
}

/** A session to be run. Give `mode`, `participants` and `task`, or a `scenario`:
 * an object, or the path of a JSON file with all documents embedded.
 * `participants` are agents, or objects with participant_id, role_id and behaviour
 * (as in a scenario). `options` are the scenario's `session`. */
class Session {
  #runtime;

  constructor({ scenario, runtime, participants = [], ...more }) {
    this.#runtime = runtime;
    for (const each of participants) {
      if (each instanceof Agent || (scenario === undefined && each !== null && typeof each === "object")) continue;
      const others = scenario === undefined ? ", or an object" : "";
      throw new TypeError(`a participant is an agent, made by agent()${others}; not a ${typeof each}`);
    }
    this.agents = participants.filter((each) => each instanceof Agent);
    if (scenario === undefined) {
      this.scenario = scenarioOf({ participants, ...more });
      return;
    }
    refuseOthers(more);
    this.scenario = typeof scenario === "string" || scenario instanceof URL
      ? JSON.parse(readFileSync(scenario, "utf8")) : scenario;
  }

  /** Starts it, in the given runtime or the default one. */
  start() {
    return (this.#runtime ?? defaultRuntime()).start(this.scenario, this.agents);
  }

  /** Runs it to its end; a promise of what result.json has. */
  async run() {
    return this.start().result();
  }
}

module.exports = { Session, defaultRuntime };
