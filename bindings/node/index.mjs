import convene from "./index.cjs";

export const {
  Agent, ConveneError, Events, RunningSession, Runtime, Session, Turn, agent, defaultRuntime, version,
} = convene;
export default convene;
