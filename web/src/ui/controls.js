// Small controls that all look alike.

import { el } from './dom.js';
import { icon } from './icons.js';

/** @param {string} name of the icon @param {string} label @param {string} key shown in the tooltip */
export function iconButton(name, label, key, onclick, more = {}) {
  return el('button', {
    type: 'button', class: 'icon-button', 'aria-label': label, title: key ? `${label} (${key})` : label, 'aria-keyshortcuts': more.shortcut ?? null,
    onclick, ...more.attributes,
  }, icon(name));
}

/** Puts another icon on a button. */
export function setIcon(button, name, label, key) {
  button.replaceChildren(icon(name));
  button.setAttribute('aria-label', label);
  button.title = key ? `${label} (${key})` : label;
}

/**
 * A few choices of which one holds; arrows move between them.
 * @param {{label: string, choices: {value: string, label: string, disabled?: string, title?: string}[], value: string,
 *          choose: (value: string) => void}} options
 */
export function segmented({ label, choices, value, choose }) {
  const buttons = choices.map((choice) =>
    el('button', {
      type: 'button', role: 'radio', 'aria-checked': String(choice.value === value), tabindex: choice.value === value ? 0 : -1,
      'aria-disabled': choice.disabled ? 'true' : null, title: choice.disabled ?? choice.title ?? null, 'data-value': choice.value,
      'aria-description': choice.disabled ?? null,
      onclick: () => !choice.disabled && set(choice.value, true),
    }, choice.label),
  );
  const set = (next, tell) => {
    choices.forEach((choice, i) => {
      buttons[i].setAttribute('aria-checked', String(choice.value === next));
      buttons[i].tabIndex = choice.value === next ? 0 : -1;
    });
    value = next;
    if (tell) choose(next);
  };
  const element = el('div', { class: 'segmented', role: 'radiogroup', 'aria-label': label, onkeydown: (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const open = choices.filter((choice) => !choice.disabled);
    const at = open.findIndex((choice) => choice.value === value);
    const next = open[(at + by + open.length) % open.length];
    set(next.value, true);
    buttons[choices.indexOf(next)].focus();
  } }, buttons);
  return { element, set: (next) => set(next, false), next: () => {
    const open = choices.filter((choice) => !choice.disabled);
    set(open[(open.findIndex((choice) => choice.value === value) + 1) % open.length].value, true);
  } };
}

/** A switch; one that cannot be used says why, to the mouse and to screen readers. */
export function chip({ name, label, hint, key, reason, toggle }) {
  const button = el('button', {
    type: 'button', class: 'chip', 'aria-pressed': 'false', 'data-overlay': name, 'aria-disabled': reason ? 'true' : null,
    title: reason ? `${label}: ${reason}` : `${hint} (${key})`, 'aria-description': reason ?? hint,
    onclick: () => !reason && set(button.getAttribute('aria-pressed') !== 'true'),
  }, label);
  const set = (on) => {
    button.setAttribute('aria-pressed', String(on));
    toggle(on);
  };
  return { element: button, press: () => button.click(), set: (on) => !reason && set(on) };
}

/**
 * Tabs with panels.
 * @param {string} label @param {{name: string, label: string, panel: HTMLElement}[]} tabs
 */
export function tabs(label, list) {
  const buttons = list.map((tab, i) =>
    el('button', {
      type: 'button', role: 'tab', id: `tab-${tab.name}`, 'aria-controls': `panel-${tab.name}`, 'aria-selected': String(i === 0), tabindex: i === 0 ? 0 : -1,
      onclick: () => open(tab.name),
    }, tab.label),
  );
  list.forEach((tab, i) => {
    tab.panel.id = `panel-${tab.name}`;
    tab.panel.setAttribute('role', 'tabpanel');
    tab.panel.setAttribute('aria-labelledby', `tab-${tab.name}`);
    tab.panel.hidden = i !== 0;
  });
  const open = (name) => {
    list.forEach((tab, i) => {
      const on = tab.name === name;
      tab.panel.hidden = !on;
      buttons[i].setAttribute('aria-selected', String(on));
      buttons[i].tabIndex = on ? 0 : -1;
    });
  };
  const bar = el('div', { class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = buttons.indexOf(document.activeElement);
    const next = (at + by + list.length) % list.length;
    open(list[next].name);
    buttons[next].focus();
  } }, buttons);
  return { bar, open };
}
