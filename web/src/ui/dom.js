// Elements are made here and nowhere else. Text always goes in as text, so that names of a scene can hold markup.

const kSvg = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else element.setAttribute(name, String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes] names that start with "on" are listeners
 * @param {...(Node | string | null | (Node | string | null)[])} children
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(kSvg, tag), attributes, children);
}

/** Names can have ten thousand characters; labels and titles need not. */
export function shorten(text, most = 80) {
  const clean = String(text ?? '');
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

let last = 0;
/** An id for aria references. */
export const freshId = (stem) => `${stem}-${++last}`;
