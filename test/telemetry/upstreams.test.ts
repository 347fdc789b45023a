import { expect, test } from 'vitest';
import { upstreamServers } from '../../src/telemetry/index.ts';

test.each([
  [{ kind: 'openai' }, { providerName: 'openai', address: 'api.openai.com', port: 443 }],
  [{ kind: 'anthropic' }, { providerName: 'anthropic', address: 'api.anthropic.com', port: 443 }],
  [{ kind: 'google' }, { providerName: 'gcp.gemini', address: 'generativelanguage.googleapis.com', port: 443 }],
  [
    { kind: 'openai', baseUrl: 'https://proxy.internal:8443/v1' },
    { providerName: 'openai', address: 'proxy.internal', port: 8443 },
  ],
  [
    { kind: 'openai-compatible', baseUrl: 'https://api.mistral.ai/v1' },
    { providerName: 'mistral_ai', address: 'api.mistral.ai', port: 443 },
  ],
  [
    { kind: 'openai-compatible', baseUrl: 'http://[::1]:11434/v1' },
    { providerName: 'mine', address: '::1', port: 11_434 },
  ],
  [
    { kind: 'openai-compatible', baseUrl: 'http://ollama/v1' },
    { providerName: 'mine', address: 'ollama', port: 80 },
  ],
  [{ kind: 'builtin' }, { providerName: 'mine' }],
])('%j is %j', (settings, server) => {
  expect(upstreamServers([{ id: 'mine', ...settings }]).get('mine')).toEqual(server);
});
