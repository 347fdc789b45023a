/**
 * Device activation (RFC 8628), with all three parts in one program: the owner registers the application, the application
 * asks to be let in and shows a code, and the customer's backend approves it for one end user with a cap.
 *
 *   BASE_URL=http://127.0.0.1:8080 MANAGEMENT_KEY=ik_mgmt_... API_KEY=ik_live_... KEY_ID=key_... node examples/device.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL: baseUrl = 'http://127.0.0.1:8080', MANAGEMENT_KEY = '', API_KEY = '', KEY_ID = '' } = process.env;

// The owner, once: the application gets a client id, which is no secret.
const application = { displayName: 'Desktop assistant', keyId: KEY_ID };
const { client } = await post('/v1/clients', JSON.stringify(application), MANAGEMENT_KEY);
const client_id = client.clientId;

// The application: it holds no key, shows the code, and asks until it is let in.
const asked = await post('/oauth/device_authorization', new URLSearchParams({ client_id, scope: 'chat' }));
console.log(`Enter ${asked.user_code} at ${asked.verification_uri}`);

// The backend, when its signed-in user types the code.
const approval = { userCode: asked.user_code, subject: 'user-4711', scopes: ['chat'], spendingCapUsd: '2.00' };
await post('/v1/devices:approve', JSON.stringify(approval), API_KEY);

// The application again. Its refresh token gets the next access token, and a new refresh token each time.
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
let tokens = await post('/oauth/token', new URLSearchParams({ grant_type, client_id, device_code: asked.device_code }));
while (tokens.error === 'authorization_pending' || tokens.error === 'slow_down') {
  await sleep((tokens.error === 'slow_down' ? 5 + asked.interval : asked.interval) * 1000);
  tokens = await post('/oauth/token', new URLSearchParams({ grant_type, client_id, device_code: asked.device_code }));
}

const question = { messages: [{ role: 'user', content: 'The shop opens at nine. When does the shop open?' }] };
const reply = await post('/api/v1/assistant/chat', JSON.stringify(question), tokens.access_token);
console.log(reply.message.content);

const renewal = { grant_type: 'refresh_token', client_id, refresh_token: tokens.refresh_token };
const renewed = await post('/oauth/token', new URLSearchParams(renewal));
console.log('renewed for', renewed.expires_in, 'seconds');

// biome-ignore lint/suspicious/noExplicitAny: replies are read as they come
async function post(path: string, body: string | URLSearchParams, credential?: string): Promise<any> {
  const headers = {
    ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    ...(credential && { authorization: `Bearer ${credential}` }),
  };
  return (await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body })).json();
}
