// Generates src/gen, test/gen, packages/transcoding/src/gen and console/gen from the proto files, and src/gen/languages.bin. Works offline:
// every imported definition is in node_modules.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { printProto } from './print-proto.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const imported = join(root, '.cache', 'proto');

function place(from, to) {
  const target = join(imported, to);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, 'node_modules', from), target);
}

rmSync(imported, { recursive: true, force: true });
mkdirSync(join(imported, 'buf', 'validate'), { recursive: true });
writeFileSync(join(imported, 'buf', 'validate', 'validate.proto'), printProto(file_buf_validate_validate.proto));
place('grpc-health-check/proto/health/v1/health.proto', 'grpc/health/v1/health.proto');
for (const version of ['v1', 'v1alpha'])
  place(
    `@grpc/reflection/build/proto/grpc/reflection/${version}/reflection.proto`,
    `grpc/reflection/${version}/reflection.proto`,
  );

const buf = join(root, 'node_modules', '.bin', 'buf');
for (const args of [
  ['generate', '--template', 'buf.gen.yaml'],
  ['generate', '--template', 'test/proto/buf.gen.yaml'],
  ['generate', '--template', 'packages/transcoding/buf.gen.yaml'],
  // The comments, which generated code lacks at run time: GET /openapi.json prints them.
  ['build', 'proto', '--exclude-imports', '--as-file-descriptor-set', '-o', 'src/gen/descriptors.binpb'],
]) {
  const generated = spawnSync(buf, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
  });
  if (generated.status !== 0) process.exit(generated.status ?? 1);
}

// After the others, because it reads src/gen.
await import('./generate-console.mjs');
await import('./generate-languages.mjs');
