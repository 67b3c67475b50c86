import adapter from "./openai-agents.cjs";

export const { currentTurn, openaiAgent } = adapter;
