// Dragging, pinching, the wheel and clicks on the timeline.

let isSelecting = false; // a drag marks a range

/// The cursor, and the tip of the bar below it.
let hovered;

function hover(event) {
  const found = drawing.session === undefined ? undefined : eventAt(drawing, event.offsetX, event.offsetY);
  canvas.style.cursor = found !== undefined || drawing.rowAt?.(event.offsetY)?.group !== undefined ? 'pointer' : 'grab';
  if (found?.bar !== hovered) {
    hovered = found?.bar;
    if (hovered === undefined) {
      tip.hide();
    } else {
      tip.soon(session, hovered, event.clientX, event.clientY);
    }
  }
}

function onPointer() {
  const held = new Map(); // pointers, by id
  let moved = 0;
  let begun = 0;
  const at = (event) => ({x: event.offsetX, y: event.offsetY});
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, at(event));
    moved = 0;
    begun = drawing.placeAt(event.offsetX);
  });
  canvas.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    if (before === undefined) {
      hover(event);
      return;
    }
    const now = at(event);
    moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    const inner = drawing.width - drawing.gutter;
    if (held.size === 2) {
      const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      const spread = (place) => Math.max(10, Math.abs(place.x - other.x));
      drawing.zoom(spread(before) / spread(now), (now.x + other.x) / 2);
    } else if (isSelecting || event.shiftKey) {
      drawing.range = [begun, drawing.placeAt(now.x)].sort((one, two) => one - two);
      drawing.soon();
    } else {
      drawing.left -= (now.x - before.x) / inner * drawing.span;
      scrollLanes(before.y - now.y);
    }
    held.set(event.pointerId, now);
  });
  const end = (event) => {
    const wasHeld = held.delete(event.pointerId);
    if (!wasHeld || event.type !== 'pointerup') {
      return;
    }
    if (moved < 6) {
      const found = eventAt(drawing, event.offsetX, event.offsetY);
      const row = drawing.rowAt(event.offsetY);
      if (found !== undefined) {
        open(found.event, found.bar === undefined ? undefined : entries.find((each) => each.bar === found.bar));
        if (event.pointerType !== 'mouse' && found.bar !== undefined) {
          tip.soon(session, found.bar, event.clientX, event.clientY);
        }
      } else if (row?.group !== undefined) {
        (drawing.folded.has(row.group.key) ? drawing.folded.delete(row.group.key) : drawing.folded.add(row.group.key));
        drawing.soon();
      }
    } else if (isSelecting || event.shiftKey) {
      listRange();
    }
  };
  canvas.addEventListener('pointerleave', ({pointerType}) => {
    if (pointerType === 'mouse') {
      hovered = undefined;
      tip.hide();
    }
  });
  canvas.addEventListener('pointerup', end);
  canvas.addEventListener('pointercancel', end);
  canvas.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      drawing.zoom(1.0015 ** event.deltaY, event.offsetX);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      drawing.pan((event.deltaX || event.deltaY) / drawing.width);
    } else if (drawing.lanesTop + drawing.lanesHeight + drawing.guardHeight + 4 > drawing.height) {
      const before = drawing.top;
      scrollLanes(event.deltaY);
      if (drawing.top !== before) {
        event.preventDefault();
      }
    }
  }, {passive: false});
}
