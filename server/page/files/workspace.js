// The shared resources of a session as they stand, beside its participants.
import {get} from './api.js';
import {element, fill, name, prose, valueText} from './dom.js';

const settleMs = 500; // what is written together is asked for once
const againMs = 3000;

/// A resource; `open` has the names of those that are shown with their values.
function resourceNode(resource, open) {
  const called = `${resource.resource_type}/${resource.resource_id}`;
  const by = resource.participant_id;
  const node = element('details', {className: 'fold', open: open.has(called)},
      element('summary', {}, name(called), ' ',
              element('span', {className: 'meta'},
                      resource.deleted ? 'was deleted' : `version ${resource.version}`,
                      by ? ' by ' : '', by ? name(by) : '')),
      resource.deleted ? '' : prose(valueText(resource.value), 'code'));
  node.addEventListener('toggle', () => open[node.open ? 'add' : 'delete'](called));
  return element('li', {}, node);
}

/// {node, changed(revision)}: asked for once it is opened, and when it may have
/// changed.
export function workspacePart(path) {
  const heading = element('h3', {}, 'Workspace');
  const list = element('ul');
  const node = element('details', {className: 'workspace forms'}, element('summary', {}, heading), list);
  const open = new Set();
  let shown = -1;
  let wanted = 0;
  let timer;
  const ask = async () => {
    const revision = wanted;
    try {
      const {resources = []} = await get(`${path}/workspace`);
      shown = revision;
      heading.textContent = `Workspace (${resources.length})`;
      fill(list, resources, (each) => `${each.resource_type}/${each.resource_id}`, (each) => resourceNode(each, open));
    } catch (failure) {
      list.replaceChildren(element('li', {}, `It cannot be shown: ${failure.message}`));
      if (!failure.mayPass) {
        shown = revision;
      }
    }
    timer = undefined;
    soon(againMs);
  };
  const soon = (ms) => {
    if (node.open && shown !== wanted) {
      timer ??= setTimeout(ask, ms);
    }
  };
  node.addEventListener('toggle', () => soon(0));
  return {node, changed(revision) {
    wanted = revision;
    soon(settleMs);
  }};
}
