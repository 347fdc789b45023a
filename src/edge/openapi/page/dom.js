// All text enters the page as text, never as markup.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Paragraphs of the contract's comments: line breaks become spaces, and `code` is code. */
export function paragraphs(text) {
  return text.split(/\n\s*\n/).map((paragraph) => element('p', {}, ...inline(paragraph.replace(/\s*\n\s*/g, ' '))));
}

export function inline(text) {
  return text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? element('code', {}, part.slice(1, -1)) : part));
}

/** A section that is rendered when opened: rendering the whole contract at once would be slow. */
export function fold(title, make) {
  const details = element('details', {}, element('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(...make());
  });
  return details;
}

/** Code wider than the page can be scrolled with the keyboard. */
export function code(text) {
  return element('pre', { tabindex: '0' }, text);
}
