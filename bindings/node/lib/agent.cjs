"use strict";

/** A participant and the function that answers for it. */
class Agent {
  constructor(participantId, run, { role = `role-${participantId}`, kind = "agent" } = {}) {
    if (typeof participantId !== "string" || typeof run !== "function") {
      throw new TypeError("an agent has an id, which is a string, and a function");
    }
    this.participantId = participantId;
    this.roleId = role;
    this.kind = kind;
    this.run = run;
    Object.freeze(this);
  }
}

/** Makes a participant of a function, which may be async. */
const agent = (participantId, run, options) => new Agent(participantId, run, options);

/** Agents by their ids. */
function byId(agents) {
  const found = new Map();
  for (const each of agents) {
    if (!(each instanceof Agent)) throw new TypeError("agents are made by agent()");
    if (found.has(each.participantId)) throw new TypeError(`two agents "${each.participantId}"`);
    found.set(each.participantId, each);
  }
  return found;
}

module.exports = { Agent, agent, byId };
