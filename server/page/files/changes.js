// What has changed since a person acted last: a question has the workspace as
// it is, and the session's events say who changed what.
import {get, sessionPath} from './api.js';

const eventsMax = 2000; // looked at, of the latest
const pageSize = 1000;

/// Whether the event is an act of this participant.
function isActOf(participant, {event_type: type, payload}) {
  switch (type) {
    case 'MAPTurnCompleted':
      return payload.participant_id === participant;
    case 'MAPBroadcastReceived':
      return payload.receiver_participant === participant;
    case 'session_input':
      return payload.participant_id === participant && payload.reply !== undefined;
    default:
      return false;
  }
}

/// The latest write to each resource since the participant acted last, by the
/// resource's name.
export function writesSince(participant, events) {
  const found = new Map();
  for (const event of events) {
    if (isActOf(participant, event)) {
      found.clear();
    } else if (event.event_type === 'resource_written') {
      found.set(`${event.payload.resource_type}/${event.payload.resource_id}`, event.payload);
    }
  }
  return found;
}

/// The question with `workspace.changes` beside `workspace.resources`.
export async function withChanges(question, signal) {
  const path = sessionPath(question.session.session_id);
  const {events: count} = await get(path, signal);
  const events = [];
  for (let after = Math.max(0, count - eventsMax); after < count;) {
    const page = await get(`${path}/events?after=${after}&limit=${pageSize}`, signal);
    if (page.events.length === 0) {
      break;
    }
    events.push(...page.events);
    after = page.next;
  }
  const writes = writesSince(question.participant.participant_id, events);
  const {resources} = question.workspace;
  const named = new Map(resources.map((each) => [`${each.resource_type}/${each.resource_id}`, each]));
  const changes = [...writes].map(([key, by]) => ({
    resource_type: by.resource_type,
    resource_id: by.resource_id,
    participant_id: by.participant_id,
    ...(named.get(key) ?? {version: by.version, deleted: true}),
  }));
  return {...question, workspace: {...question.workspace, changes}};
}
