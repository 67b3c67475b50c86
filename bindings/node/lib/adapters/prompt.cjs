"use strict";
// What a framework's model is told of a turn.

const CHARACTERS_MAX = 100_000; // of the dialog, and of the resources

const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

/** Text of others, which cannot be mistaken for anything else. */
const quoted = (text) => text.split(LINE_END).map((line) => `| ${line}`).join("\n");

const named = (name) => (/^[\w./-]+$/.test(name) ? name : JSON.stringify(name));

/** The last entries for which there is room, and how many are left out. */
function newest(entries) {
  let room = CHARACTERS_MAX;
  const first = entries.findLastIndex((each) => (room -= each.length) < 0) + 1;
  return { kept: entries.slice(first), left: first };
}

function section(title, entries, what) {
  if (entries.length === 0) return [];
  const { kept, left } = newest(entries);
  if (left > 0) kept.unshift(`(${left} ${what} left out)`);
  return [[`${title}:`, ...kept].join("\n")];
}

/** Text for a model: who it is, what was said, what is shared, and its task. */
function promptOf(turn) {
  const { session, participant, dialog, workspace, handoff, duty, responses = [], decide, dispute,
          wanted, task } = turn.request;
  const parts = [
    `You are ${named(participant.participant_id)} (${named(participant.role_id)}) in the session ` +
    `${JSON.stringify(session.title)}. Its purpose: ${JSON.stringify(session.purpose)}.`,
    ...section("Messages", dialog.map((each) =>
      `${each.participant ? named(each.participant) : "the session"}:\n${quoted(each.content)}`),
               "earlier messages"),
    ...section("Answers of others", responses.map((each) =>
      `${named(each.participant)}:\n${quoted(each.content)}`), "answers"),
    ...section("Shared resources", workspace.resources.map((each) =>
      `${named(each.resource_type)} ${named(each.resource_id)}, version ${each.version}:\n` +
      quoted(JSON.stringify(each.value))), "resources"),
  ];
  if (handoff) parts.push(`Handed on by ${named(handoff.from)}:\n${quoted(handoff.instructions)}`);
  if (duty) parts.push(`Your part: ${JSON.stringify(duty)}`);
  for (const each of [decide, dispute]) {
    if (each) parts.push(`Wanted is a ${wanted} on this:\n${quoted(JSON.stringify(each))}`);
  }
  return [...parts, `Task:\n${quoted(task)}`].join("\n\n");
}

module.exports = { promptOf };
