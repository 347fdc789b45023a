// Plain JavaScript of Node 18: it runs before the install.
import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

const leastMajor = 24;

/** The path of a Node that runs the service: the installed one, else this one; or undefined. */
export function findNode(root) {
  return [join(root, 'node_modules', '.bin', 'node'), process.execPath].find((path) => nodeMajor(path) >= leastMajor);
}

/** The machine's own Node: the first on PATH that npm ci does not replace. */
export function findSystemNode(root) {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !`${folder}${sep}`.startsWith(join(root, 'node_modules') + sep));
  return folders.map((folder) => join(folder, 'node')).find(isProgram) ?? process.execPath;
}

/** The major version, or 0 when it does not run. */
export function nodeMajor(path) {
  if (!isProgram(path)) return 0;
  try {
    return Number(execFileSync(path, ['--version'], { encoding: 'utf8' }).match(/^v(\d+)/)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
