import convene = require("convene");

const one: convene.Agent = convene.agent("one", (turn: convene.Turn) => turn.task);
void new convene.Session({ participants: [one], task: "work" }).run();
