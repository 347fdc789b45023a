import type { FastifyInstance } from 'fastify';

/** A form body's fields. */
export type Form = ReadonlyMap<string, string>;

const bodyBytesMax = 16_384;

/** Accepts only `application/x-www-form-urlencoded` bodies in this part of the server. */
export function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bodyBytesMax },
    (_request, body, done) => {
      done(null, readForm(String(body)));
    },
  );
}

/** Undefined if a field occurs twice, which RFC 6749 (3.2) forbids. Empty fields count as absent. */
export function readForm(body: string): Form | undefined {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) return undefined;
    if (value !== '') form.set(name, value);
  }
  return form;
}
