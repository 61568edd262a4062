// The bar on top of every report.

import { iconButton, setIcon } from './controls.js';
import { el, shorten } from './dom.js';
import { isDark, onTheme, toggleTheme } from './theme.js';

/** @param {{name: string, facts: string[], badge?: string | null, badgeTitle?: string, help: () => void}} options */
export function pageHeader({ name, facts, badge = null, badgeTitle = '', help }) {
  const theme = iconButton('moon', 'Dark', 'D', toggleTheme);
  const show = () => setIcon(theme, isDark() ? 'sun' : 'moon', isDark() ? 'Light colours' : 'Dark colours', 'D');
  onTheme(show);
  show();
  return el('header', { class: 'page-header' },
    el('div', { class: 'title' },
      el('span', { class: 'wordmark' }, 'vis', el('b', {}, 'viva')),
      el('h1', { title: shorten(name, 400) }, shorten(name, 160)),
      badge ? el('span', { class: 'badge', title: badgeTitle }, badge) : null),
    el('p', { class: 'facts' }, facts.map((fact) => el('span', {}, fact))),
    el('div', { class: 'header-buttons' }, theme, iconButton('help', 'Keys', '?', help)));
}
