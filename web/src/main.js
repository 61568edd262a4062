// Reads the data that visviva put into this file, and opens the page they are for.

import { decodeArrays } from './data/decode.js';
import { openImpact } from './pages/impact.js';
import { openRun } from './pages/run.js';
import { el } from './ui/dom.js';
import { startTheme } from './ui/theme.js';

const kVersion = 1;

async function open(root) {
  const text = document.getElementById('visviva-header')?.textContent;
  if (!text) throw new Error('This page holds no data. visviva puts them in when it writes a report.');
  const header = JSON.parse(text);
  if (header.format !== 'visviva report' || header.version !== kVersion) {
    throw new Error('The data in this file are of another version than its page.');
  }
  const data = document.getElementById('visviva-data');
  const arrays = await decodeArrays(header, data?.textContent ?? '');
  // The text is tens of megabytes for a large run and is not needed any more.
  data?.remove();
  const pages = { run: openRun, impact: openImpact };
  if (!Object.hasOwn(pages, header.kind)) throw new Error('This page does not know what the data in this file are.');
  return pages[header.kind](header, arrays, root);
}

startTheme();
const root = document.getElementById('app');
const ready = open(root);
ready.catch((error) => {
  root.replaceChildren(el('p', { class: 'loading', role: 'alert' }, 'This report cannot be shown: ', String(error?.message ?? error)));
  console.error(error);
});
/** For tests; see testInterface of the pages. */
window.visviva = {
  ready: ready.then(
    (page) => Boolean(Object.assign(window.visviva, page)),
    () => false,
  ),
};
