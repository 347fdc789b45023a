import { create, type DescMessage, type DescMethod, type Message, type Registry } from '@bufbuild/protobuf';
import { InvalidValue, invalidArgument } from './errors.ts';
import { JsonReaders, type Local } from './json-message.ts';
import { JsonText, type JsonValue, position } from './json-text.ts';
import { Printer } from './printing.ts';

/** How deeply a text may be nested, unless its owner says otherwise. */
export const defaultDepthMax = 100;

/** One method's messages as JSON text, read and printed as on its JSON path. */
export interface JsonCodec {
  /** Throws a `RestError` that says what is wrong, in which field and, unless disabled, where in the text. */
  read(text: string): Message;
  print(message: Message): string;
}

/**
 * Creates methods' codecs. `registry`: for the contents of a `google.protobuf.Any`. `tellsPlaces` false: errors name only the
 * field, for texts that callers never saw.
 */
export function createJsonCodecs(
  registry: Registry,
  { tellsPlaces = true }: { tellsPlaces?: boolean } = {},
): (method: DescMethod) => JsonCodec {
  const readers = new JsonReaders(registry);
  return (method) => {
    const printer = new Printer(method, '', registry);
    const read = messageReader(readers, method.input, tellsPlaces);
    return { read, print: (message) => printer.json(message) };
  };
}

function messageReader(readers: JsonReaders, desc: DescMessage, tellsPlaces: boolean): (text: string) => Message {
  const read = readers.message(desc);
  return (text) => {
    const message = create(desc) as Local;
    readWhole(text, defaultDepthMax, (json) => read(json, message), tellsPlaces);
    return message;
  };
}

/** Reads a whole text; any fault throws a `RestError` with the field and, unless disabled, the place. */
export function readWhole(text: string, depthMax: number, read: (json: JsonText) => void, tellsPlaces = true): void {
  try {
    const json = new JsonText(text, depthMax);
    read(json);
    json.end();
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    throw invalidArgument(error.field() || 'body', tellsPlaces ? withPlace(text, error) : error.message);
  }
}

/** Reads JSON of no message, as strictly as that of one: `fault` says what is wrong and where, such as a name that occurs twice. */
export function readJsonValue(text: string): { value: JsonValue } | { fault: string } {
  try {
    const json = new JsonText(text, defaultDepthMax);
    const value = json.value();
    json.end();
    return { value };
  } catch (error) {
    if (error instanceof InvalidValue) return { fault: withPlace(text, error) };
    throw error;
  }
}

function withPlace(text: string, { message, offset }: InvalidValue): string {
  return offset === undefined ? message : `${message} (${position(text, offset)})`;
}
