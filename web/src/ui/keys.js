// Keys of the page and the overlay that lists them.

import { iconButton } from './controls.js';
import { el } from './dom.js';

/**
 * @typedef {{keys: string[], shown: string, text: string, act: (event: KeyboardEvent) => void}} Binding
 *   keys: values of event.key, letters in lower case; "Shift+" in front where it matters
 */

/** Where typing means typing. */
const isTyping = (target) => target instanceof HTMLElement && (target.matches('input:not([type=range]), textarea, select') || target.isContentEditable);

/** @param {Binding[]} bindings */
export function bindKeys(bindings) {
  const byKey = new Map(bindings.flatMap((binding) => binding.keys.map((key) => [key, binding])));
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    // Space and Enter belong to the button that has the focus.
    if ((event.key === ' ' || event.key === 'Enter') && event.target instanceof Element && event.target.closest('button, summary, a')) return;
    if (event.target instanceof HTMLInputElement && event.target.type === 'range' && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    const plain = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const binding = (event.shiftKey && byKey.get(`Shift+${plain}`)) || byKey.get(event.key) || byKey.get(plain);
    if (!binding) return;
    event.preventDefault();
    binding.act(event);
  });
}

/** @param {{title: string, bindings: Pick<Binding, 'shown' | 'text'>[]}[]} groups */
export function helpDialog(groups) {
  const dialog = el('dialog', { class: 'help', 'aria-label': 'Keys' });
  dialog.append(
    el('header', {}, el('h2', {}, 'Keys'), iconButton('close', 'Close', 'Esc', () => dialog.close())),
    el('div', { class: 'help-groups' }, groups.map(({ title, bindings }) =>
      el('section', {}, el('h3', {}, title),
        el('dl', {}, bindings.map(({ shown, text }) => el('div', {}, el('dt', {}, shown.split(' ').map((key) => el('kbd', {}, key))), el('dd', {}, text)))))),
    ),
  );
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}
