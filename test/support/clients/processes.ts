import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { create, type DescFile, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { detailsIn, type JourneyClient, type Outcome, pathOf, refusedAs } from './client.ts';

/** Whether this machine's Python has grpcio and protobuf. */
export function hasGrpcio(): boolean {
  return spawnSync('/usr/bin/python3', ['-c', 'import grpc, google.protobuf']).status === 0;
}

const script = fileURLToPath(new URL('grpcio_client.py', import.meta.url));

/** grpcio, for Python: a process that learns the contract from descriptors. */
export function grpcio(url: string, files: readonly DescFile[]): JourneyClient {
  const folder = mkdtempSync(join(tmpdir(), 'grpcio-'));
  const descriptors = join(folder, 'descriptors.binpb');
  const file = [...withImports(files)].map(({ proto }) => proto);
  writeFileSync(descriptors, toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file })));
  const child = spawn('/usr/bin/python3', [script, new URL(url).host, descriptors], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const told = new Map<number, (line: Told) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const heard = JSON.parse(line) as Told;
    told.get(heard.id)?.(heard);
  });
  let calls = 0;
  const tell = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
  return {
    call: ({ method, request, credential, onMessage, signal }) =>
      new Promise((resolve) => {
        calls += 1;
        const id = calls;
        const outcome: Outcome = { code: 0, messages: [] };
        told.set(id, ({ message, code, text = '', status }) => {
          if (message) {
            outcome.messages.push(message);
            onMessage?.();
          } else if (code === 0) resolve(outcome);
          else
            resolve({
              ...outcome,
              ...refusedAs(code ?? 2, text, detailsIn(status ? Buffer.from(status, 'base64') : undefined)),
            });
        });
        tell({ id, service: method.parent.typeName, method: method.name, request, credential });
        signal?.addEventListener('abort', () => tell({ cancel: id }));
      }),
    close: () => {
      child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Told {
  id: number;
  message?: JsonObject;
  code?: number;
  text?: string;
  status?: string | null;
}

/** Files and everything that they import, imports first. */
function withImports(files: readonly DescFile[], found = new Set<DescFile>()): Set<DescFile> {
  for (const file of files) {
    withImports(file.dependencies, found);
    found.add(file);
  }
  return found;
}

/** `buf curl`, which is connect-go's client: one process per call. It learns the contract by reflection. */
export function bufCurl(url: string, protocol: 'grpc' | 'grpcweb'): JourneyClient {
  return {
    call: ({ method, request, credential, onMessage, signal }) =>
      new Promise((resolve) => {
        const outcome: Outcome = { code: 0, messages: [] };
        const child = spawn(
          'node_modules/.bin/buf',
          [
            ...['curl', '--http2-prior-knowledge', '--protocol', protocol, '-H', `Authorization: Bearer ${credential}`],
            ...['-d', JSON.stringify(request), `${url}${pathOf(method)}`],
          ],
          { detached: true },
        );
        let out = '';
        let errors = '';
        child.stdout.on('data', (piece) => {
          out += String(piece);
          const { values, rest } = objectsIn(out);
          out = rest;
          for (const value of values) {
            outcome.messages.push(value);
            onMessage?.();
          }
        });
        child.stderr.on('data', (piece) => {
          errors += String(piece);
        });
        // buf is started by a script that does not forward signals.
        signal?.addEventListener('abort', () => child.pid && process.kill(-child.pid, 'SIGINT'));
        child.on('close', (status) =>
          resolve(signal?.aborted ? { ...outcome, code: 1 } : status ? { ...outcome, ...errorIn(errors) } : outcome),
        );
      }),
  };
}

/** The complete objects in a text of consecutive, indented objects. */
function objectsIn(text: string): { values: JsonObject[]; rest: string } {
  const parts = text.split(/(?<=^\})/m);
  const rest = parts.at(-1)?.endsWith('}') ? '' : (parts.pop() ?? '');
  return { values: parts.map((part) => JSON.parse(part) as JsonObject), rest };
}

interface PrintedError {
  code: string;
  message: string;
  details?: { type: string; value: string }[];
}

function errorIn(text: string): Partial<Outcome> {
  const { code, message, details = [] } = JSON.parse(text) as PrintedError;
  const name = code.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return refusedAs(
    Code[name as keyof typeof Code],
    message,
    details.map(({ type, value }) => ({ type, value: Buffer.from(value, 'base64') })),
  );
}
