import { code, element } from './dom.js';

/** A form that sends the operation as the user signed in to the console. No key is ever typed here. */
export function sender({ verb, path, operation, base }) {
  const inputs = (operation.parameters ?? []).map((parameter) => ({
    parameter,
    input: element('input', { ...(parameter.required && { required: '' }) }),
  }));
  const media = operation.requestBody?.content['application/json'];
  const body = media && element('textarea', { rows: '8', spellcheck: 'false' });
  if (body) body.value = JSON.stringify(media.example ?? {}, null, 2);
  const button = element('button', { type: 'submit' }, `Send ${verb}`);
  const result = element('div', { role: 'status' });
  const form = element(
    'form',
    { class: 'try' },
    ...inputs.map(({ parameter, input }) =>
      element('label', { class: 'field' }, element('code', {}, parameter.name), input),
    ),
    ...(body ? [element('label', { class: 'field' }, 'Body', body)] : []),
    button,
    result,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    result.replaceChildren('Sending...');
    try {
      result.replaceChildren(code(await exchange({ verb, path, base, inputs, body })));
    } catch (error) {
      result.replaceChildren(code(String(error)));
    }
    button.disabled = false;
  });
  return form;
}

async function exchange({ verb, path, base, inputs, body }) {
  const headers = new Headers({ accept: 'application/json' });
  const query = new URLSearchParams();
  let target = path;
  for (const { parameter, input } of inputs) {
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    else if (input.value === '') continue;
    else if (parameter.in === 'header') headers.set(parameter.name, input.value);
    else if (parameter.schema.type === 'array')
      for (const each of input.value.split(',')) query.append(parameter.name, each.trim());
    else query.set(parameter.name, input.value);
  }
  if (verb !== 'GET') headers.set('x-console', '1');
  if (body) headers.set('content-type', 'application/json');
  const search = query.size > 0 ? `?${query}` : '';
  const reply = await fetch(`${base}${target}${search}`, { method: verb, headers, body: body?.value });
  return `${reply.status} ${reply.statusText}\n\n${pretty(await reply.text())}`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
