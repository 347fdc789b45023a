import { element, fold, inline } from './dom.js';

const shownElsewhere = [
  'description',
  'properties',
  'items',
  'type',
  '$ref',
  'required',
  'allOf',
  'additionalProperties',
];

/** The fields of a schema; those of nested messages open in place. */
export function fieldsOf(schema, contract) {
  const resolve = (each) =>
    each.$ref ? { ...contract.components.schemas[each.$ref.split('/').at(-1)], ...each } : each;
  const list = (message) => {
    const { properties = {}, required = [] } = resolve(message);
    const rows = Object.entries(properties).flatMap(([name, field]) => row(name, field, required.includes(name)));
    return rows.length > 0 ? rows : [element('p', {}, 'No fields.')];
  };
  const row = (name, field, isRequired) => {
    const inner = resolve(field.items ?? field);
    const bounds = Object.entries(resolve(field))
      .filter(([key]) => !shownElsewhere.includes(key))
      .map(([key, value]) => `${key} ${JSON.stringify(value)}`);
    const kind = [field.type ?? inner.type ?? 'any', isRequired ? 'required' : '', ...bounds]
      .filter(Boolean)
      .join(', ');
    const text = (field.description ?? '').replace(/\s*\n\s*/g, ' ');
    const line = element(
      'p',
      {},
      element('code', {}, name),
      ' ',
      element('span', { class: 'kind' }, kind),
      ' ',
      ...inline(text),
    );
    return inner.properties
      ? [line, fold(`Fields of ${name}`, () => [element('div', { class: 'fields' }, ...list(inner))])]
      : [line];
  };
  return [element('div', { class: 'fields' }, ...list(schema))];
}
