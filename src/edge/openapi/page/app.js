// Shows openapi.json. Users signed in to the console can send requests from here, with the console's cookie.
import { code, element, inline, paragraphs } from './dom.js';
import { operationView } from './operation.js';

const [contract, { hasConsole, session }] = await Promise.all([
  fetch('openapi.json').then((reply) => reply.json()),
  readSession(),
]);
const languageChoice = document.getElementById('language');
const listeners = [];
const page = {
  contract,
  hasConsole,
  session,
  base: contract.servers[0].url.replace(/\/$/, ''),
  language: () => languageChoice.value,
  onLanguage: (listener) => listeners.push(listener),
};

/** Who is signed in, if there is a console. */
async function readSession() {
  const reply = await fetch('console/session').catch(() => undefined);
  if (!reply?.ok) return { hasConsole: false };
  return { hasConsole: true, session: (await reply.json()) ?? undefined };
}

document.title = `${contract.info.title} reference`;
document.getElementById('title').textContent = `${contract.info.title} ${contract.info.version}`;
if (hasConsole)
  document
    .getElementById('session')
    .append(
      element('a', { href: 'console/' }, session ? `Console (${session.accountName ?? session.operator})` : 'Console'),
    );

chooseLanguage();
const sections = show();
document.getElementById('search').addEventListener('input', search);
openLinked();
addEventListener('hashchange', openLinked);

function chooseLanguage() {
  const samples = Object.values(Object.values(contract.paths)[0])[0]['x-codeSamples'];
  languageChoice.append(...samples.map(({ lang, label }) => element('option', { value: lang }, label)));
  const kept = localStorage.getItem('docs-language');
  if (samples.some(({ lang }) => lang === kept)) languageChoice.value = kept;
  languageChoice.addEventListener('change', () => {
    localStorage.setItem('docs-language', languageChoice.value);
    for (const listener of listeners) listener();
  });
}

function show() {
  const main = document.getElementById('operations');
  const contents = document.getElementById('contents');
  main.replaceChildren(start());
  return contract.tags.map(({ name, description = '' }) => {
    const title = name.replace(/Service$/, '').replace(/([a-z])([A-Z])/g, '$1 $2');
    const operations = operationsOf(name).map((each) => ({
      ...each,
      view: operationView(each, page),
      link: element('a', { href: `#${each.operation.operationId}` }, ...inline(each.operation.summary)),
      text: `${each.verb} ${each.path} ${each.operation.summary} ${each.operation.description}`.toLowerCase(),
    }));
    const section = element('section', { 'aria-labelledby': name });
    const heading = element(
      'h2',
      { id: name },
      title,
      ' ',
      element('a', { class: 'anchor', href: `#${name}`, 'aria-label': `Link to ${title}` }, '#'),
    );
    section.append(heading, ...paragraphs(description), ...operations.map(({ view }) => view));
    const links = element('ul', {}, ...operations.map(({ link }) => element('li', {}, link)));
    const entry = element('details', {}, element('summary', {}, title), links);
    contents.append(entry);
    main.append(section);
    return { name, section, entry, operations };
  });
}

function operationsOf(tag) {
  return Object.entries(contract.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs)
      .filter(([, operation]) => operation.tags.includes(tag))
      .map(([verb, operation]) => ({ verb: verb.toUpperCase(), path, operation })),
  );
}

/** A newcomer's first steps. */
function start() {
  const steps = [
    'Make an API key with your management key (in the console, or KeyService below).',
    'Add credit: nothing is answered that is not paid for.',
    'Send a chat. The samples below run as they stand once these are set:',
  ];
  return element(
    'section',
    { 'aria-labelledby': 'start' },
    element('h2', { id: 'start' }, 'Start'),
    ...paragraphs(contract.info.description),
    element('ol', {}, ...steps.map((step) => element('li', {}, step))),
    code(
      `export BASE_URL=${location.origin}${page.base}\nexport API_KEY=ik_live_...\nexport MANAGEMENT_KEY=ik_mgmt_...`,
    ),
  );
}

function search({ target }) {
  const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const { section, entry, operations } of sections) {
    let inSection = 0;
    for (const { text, view, link } of operations) {
      const isShown = words.every((word) => text.includes(word));
      view.hidden = !isShown;
      link.parentElement.hidden = !isShown;
      if (isShown) inSection += 1;
    }
    section.hidden = inSection === 0;
    entry.hidden = inSection === 0;
    entry.open = words.length > 0 && inSection > 0;
    found += inSection;
  }
  const status = document.getElementById('found');
  status.textContent = words.length === 0 ? '' : `${found} operation${found === 1 ? '' : 's'} found`;
}

function openLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    for (const { entry, operations } of sections) if (operations.some(({ view }) => view === target)) entry.open = true;
  }
  target.scrollIntoView();
}
