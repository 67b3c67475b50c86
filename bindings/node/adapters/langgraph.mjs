import adapter from "./langgraph.cjs";

export const { actions, currentTurn, langgraphAgent } = adapter;
