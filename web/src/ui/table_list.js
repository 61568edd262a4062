// A long table that makes only the rows in sight. One stop for the tab key; arrows move within it.

import { el, freshId } from './dom.js';

const kRow = 30;

/**
 * @typedef {{name: string, label: string, numeric?: boolean, sort?: (index: number) => number | string,
 *            cell: (index: number) => Node | string}} Column
 * @typedef {{label: string, columns: Column[], count: number, text: (index: number) => string,
 *            choose: (index: number) => void, template: string, empty: string}} Options
 *   text: what the filter looks at; template: CSS widths of the columns
 */

export class TableList {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.order = Array.from({ length: options.count }, (_, i) => i);
    this.sorted = { column: null, down: false };
    this.filter = '';
    this.active = 0;
    this.chosen = null;
    this.id = freshId('list');
    this.texts = null;
    this.build();
  }

  build() {
    const { label, columns, template } = this.options;
    this.search = el('input', {
      type: 'search', class: 'filter', placeholder: 'Filter', 'aria-label': `Filter: ${label}`, autocomplete: 'off', spellcheck: 'false',
      oninput: () => this.setFilter(this.search.value),
    });
    this.status = el('span', { class: 'list-count', role: 'status' });
    this.heads = columns.map((column) =>
      el('div', { role: 'columnheader', class: column.numeric ? 'num' : '', 'aria-sort': column.sort ? 'none' : null },
        column.sort
          ? el('button', { type: 'button', onclick: () => this.sortBy(column) }, column.label, el('i', { class: 'sort-mark', 'aria-hidden': 'true' }))
          : el('span', {}, column.label)),
    );
    this.rows = el('div', { class: 'list-rows', role: 'presentation' });
    this.body = el('div', {
      class: 'list-body', tabindex: 0, role: 'rowgroup', 'aria-label': `${label}: arrow keys to move, Enter to choose`,
      onscroll: () => this.draw(), onkeydown: (event) => this.key(event),
    }, this.rows);
    this.table = el('div', { class: 'list', role: 'grid', 'aria-label': label, style: `--columns: ${template}` },
      el('div', { class: 'list-head', role: 'row' }, this.heads), this.body);
    this.element = el('div', { class: 'table-list' }, el('div', { class: 'list-tools' }, this.search, this.status), this.table);
    new ResizeObserver(() => this.draw()).observe(this.body);
    this.changed();
  }

  setFilter(text) {
    this.filter = text.trim().toLowerCase();
    this.changed();
  }

  sortBy(column) {
    const same = this.sorted.column === column;
    // Numbers are mostly asked for from the largest down, names and times from the first up.
    this.sorted = { column, down: same ? !this.sorted.down : Boolean(column.numeric && column.name !== 'time') };
    this.options.columns.forEach((other, i) => {
      if (other.sort) this.heads[i].setAttribute('aria-sort', other !== column ? 'none' : this.sorted.down ? 'descending' : 'ascending');
    });
    this.changed();
  }

  changed() {
    const { count, text, empty } = this.options;
    if (this.filter && !this.texts) this.texts = Array.from({ length: count }, (_, i) => text(i).toLowerCase());
    this.order = [];
    for (let i = 0; i < count; ++i) if (!this.filter || this.texts[i].includes(this.filter)) this.order.push(i);
    const { column, down } = this.sorted;
    if (column) {
      const keys = new Map(this.order.map((i) => [i, column.sort(i)]));
      const sign = down ? -1 : 1;
      const worth = (key) => (typeof key === 'number' && Number.isNaN(key) ? -Infinity : key);
      this.order.sort((i, j) => {
        const [a, b] = [worth(keys.get(i)), worth(keys.get(j))];
        return a < b ? -sign : a > b ? sign : i - j;
      });
    }
    this.active = Math.min(this.active, Math.max(this.order.length - 1, 0));
    this.table.setAttribute('aria-rowcount', String(this.order.length + 1));
    this.rows.style.height = `${Math.max(this.order.length, 1) * kRow}px`;
    this.status.textContent = count === 0 ? empty : this.filter ? `${this.order.length} of ${count}` : '';
    this.draw();
  }

  draw() {
    const { columns } = this.options;
    const first = Math.max(Math.floor(this.body.scrollTop / kRow) - 4, 0);
    const last = Math.min(Math.ceil((this.body.scrollTop + this.body.clientHeight) / kRow) + 4, this.order.length);
    const rows = [];
    for (let place = first; place < last; ++place) {
      const index = this.order[place];
      rows.push(
        el('div', {
          role: 'row', id: `${this.id}-${index}`, class: place === this.active ? 'list-row active' : 'list-row', 'aria-rowindex': place + 2,
          'aria-selected': String(index === this.chosen), 'data-index': index, style: `transform: translateY(${place * kRow}px)`,
          onclick: () => this.chooseAt(place),
        }, columns.map((column) => el('div', { role: 'gridcell', class: column.numeric ? 'num' : '' }, column.cell(index)))),
      );
    }
    this.rows.replaceChildren(...rows);
    const active = this.order[this.active];
    if (active === undefined) this.body.removeAttribute('aria-activedescendant');
    else this.body.setAttribute('aria-activedescendant', `${this.id}-${active}`);
  }

  key(event) {
    const page = Math.max(Math.floor(this.body.clientHeight / kRow) - 1, 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (by !== undefined) {
      this.active = Math.min(Math.max(this.active + by, 0), Math.max(this.order.length - 1, 0));
      this.reveal();
    } else if (event.key === 'Enter') {
      this.chooseAt(this.active);
    } else {
      return;
    }
    // The page's own keys (arrows step the replay) must not act as well.
    event.preventDefault();
    event.stopPropagation();
  }

  reveal() {
    const top = this.active * kRow;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    else if (top + kRow > this.body.scrollTop + this.body.clientHeight) this.body.scrollTop = top + kRow - this.body.clientHeight;
    this.draw();
  }

  chooseAt(place) {
    const index = this.order[place];
    if (index === undefined) return;
    this.active = place;
    this.setChosen(index);
    this.options.choose(index);
  }

  /** Marks a row without telling about it. @param {number | null} index */
  setChosen(index) {
    this.chosen = index;
    const place = index === null ? -1 : this.order.indexOf(index);
    if (place >= 0) {
      this.active = place;
      this.reveal();
    }
    this.draw();
  }
}
