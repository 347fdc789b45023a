// Writes answers.jsonl: what grpc-gateway answers to requests.ts, asked byte by byte on a connection each. Usage: record.ts <port>
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Answer } from '../replay.ts';
import { type GatewayRequest, gatewayRequests } from '../requests.ts';

const port = Number(process.argv[2]);

function ask({ request, body }: GatewayRequest): Promise<Answer> {
  const text = body ?? '';
  // HTTP/1.0, so that the reply comes whole and not in chunks.
  const head = `${request} HTTP/1.0\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(head + text));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const status = Number(answer.subarray(0, end).toString().split(' ')[1]);
      const reply = status === 200 && { reply: answer.subarray(end + 4).toString() };
      resolve({ request, ...(body !== undefined && { body }), status, ...reply });
    });
  });
}

const answers: Answer[] = [];
for (const each of gatewayRequests) answers.push(await ask(each));
const lines = answers.map((answer) => `${JSON.stringify(answer)}\n`);
writeFileSync(join(import.meta.dirname, '..', 'answers.jsonl'), lines.join(''));
