import adapter from "./ai-sdk.cjs";

export const { aiSdkAgent, currentTurn } = adapter;
