// What may be done to a session; `path` is its own.

export const actionsOf = (path) => [
  {name: 'Start', path: `${path}/resume`, title: 'Start this session?',
   when: (status) => status === 'draft', text: 'It begins now.'},
  {name: 'Suspend', path: `${path}/suspend`, title: 'Suspend this session?',
   when: (status) => status === 'active',
   text: 'Its open questions are closed, and asked again once it is resumed.'},
  {name: 'Resume', path: `${path}/resume`, title: 'Resume this session?',
   when: (status) => status === 'suspended', text: 'It continues where it was.'},
  {name: 'Cancel', path: `${path}/cancel`, title: 'Cancel this session?', tone: 'bad',
   when: (status) => ['draft', 'active', 'suspended'].includes(status),
   text: 'It ends here, as cancelled. That cannot be undone.'},
];
