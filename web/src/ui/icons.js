// Line icons on a grid of 24, drawn with the colour of the text.

import { svg } from './dom.js';

const kPaths = {
  play: ['M8 5.5v13l10.5-6.5z'],
  pause: ['M8.5 5.5v13', 'M15.5 5.5v13'],
  back: ['M16 6l-7 6 7 6z', 'M6.5 6v12'],
  forward: ['M8 6l7 6-7 6z', 'M17.5 6v12'],
  first: ['M18 6l-6 6 6 6', 'M11 6l-6 6 6 6'],
  loop: ['M5 11a6 6 0 0 1 6-6h6', 'M14.5 2.5L17 5l-2.5 2.5', 'M19 13a6 6 0 0 1-6 6H7', 'M9.5 21.5L7 19l2.5-2.5'],
  sun: ['M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z', 'M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4'],
  moon: ['M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z'],
  help: ['M9.2 9.2a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.2-1.5 2.3', 'M12 17.4v.2'],
  close: ['M6 6l12 12M18 6L6 18'],
  plus: ['M12 6v12M6 12h12'],
  minus: ['M6 12h12'],
  fit: ['M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5'],
  previous: ['M14.5 6l-6 6 6 6'],
  next: ['M9.5 6l6 6-6 6'],
};

/** @param {keyof typeof kPaths} name */
export function icon(name) {
  const filled = name === 'play';
  return svg(
    'svg',
    { viewBox: '0 0 24 24', class: filled ? 'icon filled' : 'icon', 'aria-hidden': 'true', focusable: 'false' },
    kPaths[name].map((d) => svg('path', { d })),
  );
}
