import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The machine's own Chromium, which makes no requests of its own. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

function chromiumPath(): string {
  const path = process.env.CHROMIUM ?? places.find(isProgram);
  if (path !== undefined && isProgram(path)) return path;
  throw new Error(
    'There is no Chromium, and the console is tested in one: install it (apt-get install chromium), or name another ' +
      `by CHROMIUM=/path/to/chrome. Looked at ${path ?? places.join(', ')}.`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
