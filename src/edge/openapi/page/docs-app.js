// Shows openapi.json and sends requests. All text from the document enters the page as text, never as markup.
const contract = await (await fetch('openapi.json')).json();
const base = contract.servers[0].url.replace(/\/$/, '');
const schemas = contract.components.schemas;

document.getElementById('title').textContent = `${contract.info.title} ${contract.info.version}`;
const main = document.getElementById('operations');
const contents = document.getElementById('contents');
main.replaceChildren(element('p', { class: 'description' }, contract.info.description));

for (const { name, description } of contract.tags) {
  main.append(element('h2', {}, name), element('p', { class: 'description' }, description ?? ''));
  contents.append(element('strong', {}, name));
  for (const [path, operations] of Object.entries(contract.paths))
    for (const [verb, operation] of Object.entries(operations))
      if (operation.tags.includes(name)) show(verb.toUpperCase(), path, operation);
}
openLinked();
addEventListener('hashchange', openLinked);

function openLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
    target.scrollIntoView();
  }
}

function show(verb, path, operation) {
  contents.append(element('a', { href: `#${operation.operationId}` }, operation.summary));
  const inner = element('div');
  const details = element(
    'details',
    { class: 'operation', id: operation.operationId },
    element(
      'summary',
      {},
      element('span', { class: 'verb' }, verb),
      element('code', {}, path),
      ` ${operation.summary}`,
    ),
    inner,
  );
  // Made when it is opened: the whole contract at once would be slow.
  details.addEventListener(
    'toggle',
    () => details.open && inner.childElementCount === 0 && fill(inner, verb, path, operation),
  );
  main.append(details);
}

function fill(inner, verb, path, operation) {
  inner.append(element('p', { class: 'description' }, operation.description));
  const inputs = (operation.parameters ?? []).map((parameter) => {
    const input = element('input', { 'aria-label': parameter.name, placeholder: parameter.required ? 'required' : '' });
    inner.append(
      element(
        'label',
        { class: 'field' },
        element('code', {}, parameter.name),
        element('span', {}, input, ' ', parameter.description ?? ''),
      ),
    );
    return { parameter, input };
  });
  const media = operation.requestBody?.content['application/json'];
  let body;
  if (media) {
    body = element('textarea', { rows: '10', spellcheck: 'false', 'aria-label': 'Body' });
    body.value = JSON.stringify(media.example ?? {}, null, 2);
    inner.append(fold('Fields of the body', media.schema), body);
  }
  const send = element('button', { type: 'button' }, 'Send');
  const result = element('pre', { hidden: '' });
  const content = operation.responses['200'].content;
  const streams = 'text/event-stream' in content;
  const streamed = element('input', { type: 'checkbox' });
  inner.append(send, ' ');
  if (streams && 'application/json' in content) inner.append(element('label', {}, streamed, ' as a stream'));
  inner.append(result, fold('Fields of the reply', Object.values(content)[0].schema), errors(operation));
  send.addEventListener('click', async () => {
    send.disabled = true;
    result.hidden = false;
    result.textContent = 'Sending...';
    try {
      const wantsStream = streams && (streamed.checked || !('application/json' in content));
      await exchange({ verb, path, inputs, body, result, wantsStream });
    } catch (error) {
      result.textContent = String(error);
    }
    send.disabled = false;
  });
}

async function exchange({ verb, path, inputs, body, result, wantsStream }) {
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path;
  for (const { parameter, input } of inputs) {
    if (input.value === '' && parameter.in !== 'path') continue;
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (parameter.in === 'header') headers.set(parameter.name, input.value);
    else if (parameter.schema.type === 'array')
      for (const each of input.value.split(',')) query.append(parameter.name, each.trim());
    else query.set(parameter.name, input.value);
  }
  const credential = document.getElementById('credential').value.trim();
  if (credential) headers.set('authorization', `Bearer ${credential}`);
  if (body) headers.set('content-type', 'application/json');
  headers.set('accept', wantsStream ? 'text/event-stream' : 'application/json');
  const search = query.size > 0 ? `?${query}` : '';
  const started = performance.now();
  const reply = await fetch(`${base}${target}${search}`, { method: verb, headers, body: body?.value });
  const took = Math.round(performance.now() - started);
  const head = [...reply.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  result.textContent = `${reply.status} ${reply.statusText} (${took} ms)\n${head}\n\n`;
  if (wantsStream && reply.ok) {
    for await (const text of reply.body.pipeThrough(new TextDecoderStream())) result.textContent += text;
    return;
  }
  result.textContent += pretty(await reply.text());
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function errors({ responses }) {
  const list = element('details', {}, element('summary', {}, 'Errors'));
  for (const [status, { $ref }] of Object.entries(responses)) {
    if (!$ref) continue;
    const { description, content } = contract.components.responses[$ref.split('/').at(-1)];
    list.append(
      element('p', {}, `${status}: ${description}`),
      element('pre', {}, JSON.stringify(content['application/json'].example, null, 2)),
    );
  }
  return list;
}

function fold(title, schema) {
  const details = element('details', {}, element('summary', {}, title));
  details.addEventListener(
    'toggle',
    () => details.open && details.childElementCount === 1 && details.append(fields(schema)),
  );
  return details;
}

// The fields of a schema; those of a message within it open in place.
function fields(schema) {
  const list = element('div', { class: 'fields' });
  const { properties = {}, required = [] } = resolve(schema);
  for (const [name, field] of Object.entries(properties)) {
    const inner = resolve(field.items ?? field);
    const bounds = Object.entries(resolve(field))
      .filter(
        ([key]) =>
          !['description', 'properties', 'items', 'type', '$ref', 'required', 'allOf', 'additionalProperties'].includes(
            key,
          ),
      )
      .map(([key, value]) => `${key} ${JSON.stringify(value)}`);
    const kind = [field.type ?? inner.type ?? 'any', required.includes(name) ? 'required' : '', ...bounds].filter(
      Boolean,
    );
    list.append(
      element(
        'p',
        {},
        element('code', {}, name),
        ' ',
        element('span', { class: 'kind' }, kind.join(', ')),
        element('span', { class: 'description' }, ` ${field.description ?? ''}`),
      ),
    );
    if (inner.properties) list.append(fold(`Fields of ${name}`, inner));
  }
  return list;
}

function resolve(schema) {
  return schema.$ref ? { ...schemas[schema.$ref.split('/').at(-1)], ...schema } : schema;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
