// The page of single impacts: one in full, several as a gallery to choose from.

import { Hodographs, sampleAt } from '../data/hodographs.js';
import { energyFigure } from '../impacts/energy_figure.js';
import { hodographFigure } from '../impacts/hodograph_figure.js';
import { impulseFigure } from '../impacts/impulse_figure.js';
import { figureLegend } from '../impacts/legend.js';
import { resultTable } from '../impacts/result_table.js';
import { el, shorten } from '../ui/dom.js';
import { brief, number, plural, toStep } from '../ui/format.js';
import { bindKeys, helpDialog } from '../ui/keys.js';
import { pageHeader } from '../ui/page_header.js';
import { toggleTheme } from '../ui/theme.js';

const kSteps = 1000;

class ImpactPage {
  constructor(header, arrays, root) {
    this.header = header;
    this.cases = header.cases ?? [];
    this.hodographs = new Hodographs(arrays);
    this.current = 0;
    this.Iz = 0;
    this.paths = this.cases.map(({ path }) => (path === null || path === undefined ? null : this.hodographs.get(path)));
    this.detail = el('section', { class: 'case', 'aria-label': 'Chosen impact', 'aria-live': 'off' });
    this.gallery = this.cases.length > 1 ? this.makeGallery() : null;
    const groups = this.keys();
    this.help = helpDialog(groups);
    bindKeys(groups.flatMap((group) => group.bindings));
    const one = this.cases.length === 1 ? this.cases[0] : null;
    root.replaceChildren(
      pageHeader({
        name: one ? one.name || 'impact' : 'Impacts',
        facts: one ? caseFacts(one) : [plural(this.cases.length, 'case', 'cases')],
        help: () => this.help.showModal(),
      }),
      el('main', { class: this.gallery ? 'impact several' : 'impact' }, this.gallery, this.detail),
      this.help);
    document.title = `${shorten(one ? one.name || 'impact' : 'Impacts', 60)} – visviva`;
    this.open(0);
  }

  /** One stop for the tab key; arrows move between the pictures. */
  makeGallery() {
    this.cards = this.cases.map((one, i) => {
      const path = this.paths[i];
      const picture = path ? hodographFigure(path, { size: 150, bare: true }).element : el('p', { class: 'no-path' }, statusText(one.result?.status));
      return el('button', {
        type: 'button', class: 'card', role: 'option', 'aria-selected': 'false', tabindex: -1, title: shorten(one.name, 300), onclick: () => this.open(i),
      }, picture, el('span', { class: 'card-name' }, shorten(one.name || `case ${i + 1}`, 80)), el('span', { class: 'card-facts' }, cardFacts(one).join(' · ')));
    });
    return el('div', { class: 'gallery', role: 'listbox', 'aria-label': 'Cases', onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      const next = Math.min(Math.max(this.current + by, 0), this.cases.length - 1);
      this.open(next);
      this.cards[next].focus();
    } }, this.cards);
  }

  open(i) {
    if (!this.cases[i]) {
      this.detail.replaceChildren(el('p', { class: 'hint' }, 'This file has no cases.'));
      return;
    }
    this.current = i;
    this.cards?.forEach((card, k) => {
      card.setAttribute('aria-selected', String(k === i));
      card.tabIndex = k === i ? 0 : -1;
    });
    const one = this.cases[i];
    const path = this.paths[i];
    this.end = path ? Math.max(...path.samples.map((p) => p.Iz), 0) : 0;
    this.digits = path ? digitsOf(path.samples) : {};
    this.figures = path ? this.makeFigures(path, one.problem) : [];
    this.readout = el('dl', { class: 'readout' });
    const title = this.gallery ? el('header', { class: 'case-title' }, el('h2', {}, shorten(one.name || `case ${i + 1}`, 200)), el('p', { class: 'facts' }, caseFacts(one).map((fact) => el('span', {}, fact)))) : null;
    const parts = path
      ? [el('div', { class: 'case-figures' }, this.figures.map(({ title: name, figure }) => el('figure', {}, el('figcaption', {}, name), figure.element))), this.makeSlider(), figureLegend([path], { space: this.figures.length > 2 && Boolean(one.problem) })]
      : [el('p', { class: 'hint' }, `No path: ${statusText(one.result?.status)}.`)];
    this.detail.replaceChildren(...[title, ...parts, resultTable(one)].filter(Boolean));
    this.move(this.end);
  }

  makeFigures(path, problem) {
    const withImpulse = path.samples.some((p) => p.I);
    return [
      { title: 'Hodograph', figure: hodographFigure(path) },
      ...(withImpulse ? [{ title: 'Impulse', figure: impulseFigure(path, problem) }] : []),
      { title: 'Energy', figure: energyFigure(path, { height: 340, seek: (Iz) => this.move(Iz) }) },
    ];
  }

  makeSlider() {
    this.slider = el('input', {
      type: 'range', class: 'scrub', min: 0, max: kSteps, step: 1, value: kSteps, 'aria-label': 'Normal impulse', 'data-control': 'slider',
      oninput: () => this.move((this.end * Number(this.slider.value)) / kSteps),
    });
    return el('div', { class: 'impulse-slider' }, el('span', { class: 'tool-label' }, 'Normal impulse'), this.slider, this.readout);
  }

  /** @param {number} Iz */
  move(Iz) {
    const path = this.paths[this.current];
    if (!path || !this.slider) return;
    this.Iz = Math.min(Math.max(Iz, 0), this.end);
    const sample = sampleAt(path.samples, this.Iz);
    this.sample = sample;
    for (const { figure } of this.figures) figure.move(sample);
    this.slider.value = String(this.end > 0 ? Math.round((this.Iz / this.end) * kSteps) : 0);
    this.slider.style.setProperty('--share', `${this.end > 0 ? (100 * this.Iz) / this.end : 0}%`);
    this.slider.setAttribute('aria-valuetext', `${number(this.Iz)} N s`);
    const fields = [['Iz', 'N s'], ['vx', 'm/s'], ['vy', 'm/s'], ['vz', 'm/s'], ['E', 'J']];
    this.readout.replaceChildren(...fields.map(([name, unit]) =>
      el('div', {}, el('dt', {}, name), el('dd', { 'data-field': name }, toStep(sample?.[name], this.digits[name])), el('span', { class: 'unit' }, unit))));
  }

  keys() {
    const step = (by) => () => this.move(this.Iz + by * this.end);
    return [{
      title: 'Impact',
      bindings: [
        { keys: ['ArrowRight'], shown: '→', text: 'more normal impulse', act: step(0.01) },
        { keys: ['ArrowLeft'], shown: '←', text: 'less normal impulse', act: step(-0.01) },
        { keys: ['Home'], shown: 'Home', text: 'start of the impact', act: () => this.move(0) },
        { keys: ['End'], shown: 'End', text: 'end of the impact', act: () => this.move(this.end) },
        { keys: ['n'], shown: 'N', text: 'next case', act: () => this.open(Math.min(this.current + 1, this.cases.length - 1)) },
        { keys: ['p'], shown: 'P', text: 'case before', act: () => this.open(Math.max(this.current - 1, 0)) },
        { keys: ['d'], shown: 'D', text: 'dark or light', act: () => toggleTheme() },
        { keys: ['?', 'h'], shown: '?', text: 'this list', act: () => this.help.showModal() },
      ],
    }];
  }

  testInterface() {
    return {
      kind: 'impact',
      cases: () => this.cases.length,
      current: () => this.current,
      open: (i) => this.open(i),
      Iz: () => this.Iz,
      end: () => this.end,
      move: (Iz) => this.move(Iz),
      sample: () => this.sample,
      result: (i) => this.cases[i].result,
      marks: (i) => this.paths[i]?.marks ?? [],
    };
  }
}

/** A step for each column that leaves four or five digits of its largest number: noise of rounding stays out. */
function digitsOf(samples) {
  const most = (f) => samples.reduce((size, p) => Math.max(size, Math.abs(f(p))), 0) || 1;
  const step = (size) => 10 ** (Math.floor(Math.log10(size)) - 4);
  const speed = step(most((p) => Math.hypot(p.vx, p.vy, p.vz)));
  return { Iz: step(most((p) => p.Iz)), vx: speed, vy: speed, vz: speed, E: step(most((p) => p.E)) };
}

const statusText = (status) => shorten(String(status ?? 'not solved').replace(/_/g, ' '), 60);

function caseFacts({ problem, result }) {
  return [
    problem ? `μ ${brief(problem.mu)}` : null,
    problem ? `e ${brief(problem.e)}` : null,
    result?.law ? shorten(result.law, 20) : null,
    result?.status && result.status !== 'solved' ? statusText(result.status) : null,
    result?.sequence_exact ? `events ${shorten(result.sequence_exact, 12)}` : null,
  ].filter(Boolean);
}

/** What tells cases apart, in few words. */
function cardFacts({ problem, result }) {
  const outcome = result?.status && result.status !== 'solved' ? statusText(result.status) : shorten(result?.sequence_exact, 12);
  return [outcome, problem ? `μ ${brief(problem.mu, 3)}` : null, problem ? `e ${brief(problem.e, 3)}` : null].filter(Boolean);
}

/** @returns the interface for tests */
export function openImpact(header, arrays, root) {
  return new ImpactPage(header, arrays, root).testInterface();
}
