"use strict";
const { ConveneError, version } = require("./lib/native.cjs");
const { Agent, agent } = require("./lib/agent.cjs");
const { Turn } = require("./lib/turn.cjs");
const { Events } = require("./lib/events.cjs");
const { RunningSession } = require("./lib/running_session.cjs");
const { Runtime } = require("./lib/runtime.cjs");
const { Session, defaultRuntime } = require("./lib/session.cjs");

module.exports = {
  Agent, ConveneError, Events, RunningSession, Runtime, Session, Turn, agent, defaultRuntime, version,
};
