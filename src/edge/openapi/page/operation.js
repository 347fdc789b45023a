import { code, element, fold, inline, paragraphs } from './dom.js';
import { fieldsOf } from './schema.js';
import { sender } from './send.js';

const names = {
  api_key: 'an API key',
  access_token: 'an access token',
  management_key: 'a management key',
  operator: 'an operator',
};

/** One operation, collapsed. `page` has the contract, the base path, the sample language and who is signed in. */
export function operationView({ verb, path, operation }, page) {
  const inner = element('div');
  const details = element(
    'details',
    { class: 'operation', id: operation.operationId },
    element(
      'summary',
      {},
      element('span', { class: `verb ${verb.toLowerCase()}` }, verb),
      element('code', {}, path),
      element('span', { class: 'what' }, ...inline(operation.summary)),
    ),
    inner,
  );
  details.addEventListener('toggle', () => {
    if (details.open && inner.childElementCount === 0) inner.append(...partsOf({ verb, path, operation }, page));
  });
  return details;
}

function partsOf({ verb, path, operation }, page) {
  const { contract, base } = page;
  const media = operation.requestBody?.content['application/json'];
  const reply = Object.values(operation.responses['200'].content)[0];
  return [
    ...paragraphs(withoutSummary(operation)),
    sample(operation, page),
    ...parametersOf(operation),
    ...(media ? [fold('Fields of the body', () => fieldsOf(media.schema, contract))] : []),
    fold('Fields of the reply', () => fieldsOf(reply.schema, contract)),
    fold('Errors', () => errorsOf(operation, contract)),
    trial({ verb, path, operation, base }, page),
  ];
}

/** The summary is the first sentence of the description and is already shown above it. */
function withoutSummary({ summary, description }) {
  const text = description.replace(/\s*\n(?!\s*\n)\s*/g, (gap) => (gap.includes('\n\n') ? gap : ' '));
  return text.startsWith(`${summary}.`) ? text.slice(summary.length + 1).trim() : text;
}

function sample(operation, page) {
  const box = element('div', { class: 'sample' });
  const show = () => {
    const { label, source } = operation['x-codeSamples'].find((each) => each.lang === page.language()) ?? {};
    const copy = element('button', { type: 'button' }, `Copy ${label}`);
    copy.addEventListener('click', async () => {
      await navigator.clipboard.writeText(source);
      copy.textContent = 'Copied';
    });
    box.replaceChildren(code(source), copy);
  };
  page.onLanguage(show);
  show();
  return box;
}

function parametersOf({ parameters = [] }) {
  return parameters.map(({ name, required, description = '', in: place }) =>
    element(
      'p',
      { class: 'parameter' },
      element('code', {}, name),
      ' ',
      element('span', { class: 'kind' }, `${place}${required ? ', required' : ''}`),
      ' ',
      ...inline(description.replace(/\s*\n\s*/g, ' ')),
    ),
  );
}

function errorsOf({ responses }, contract) {
  return Object.entries(responses)
    .filter(([, { $ref }]) => $ref)
    .flatMap(([status, { $ref }]) => {
      const { description, content } = contract.components.responses[$ref.split('/').at(-1)];
      return [
        element('p', {}, `${status}: `, ...inline(description)),
        code(JSON.stringify(content['application/json'].example, null, 2)),
      ];
    });
}

/** Signed-in users may send what the session may; anything that needs another credential is for a terminal. */
function trial({ verb, path, operation, base }, page) {
  const kinds = operation['x-credentials'];
  const kind = page.session && (page.session.role === 'operator' ? 'operator' : 'management_key');
  if (kind && kinds.includes(kind)) return fold('Send it', () => [sender({ verb, path, operation, base })]);
  const needs = kinds.map((each) => names[each]).join(' or ');
  if (page.hasConsole && (kinds.includes('management_key') || kinds.includes('operator')))
    return element(
      'p',
      { class: 'kind' },
      'To send it from here, ',
      element('a', { href: 'console/' }, 'sign in to the console'),
      ` as ${kinds.includes('management_key') ? 'the account’s owner' : 'an operator'}.`,
    );
  return element(
    'p',
    { class: 'kind' },
    `It needs ${needs}, which does not belong in a page: send it from a terminal.`,
  );
}
