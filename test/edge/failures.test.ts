import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../src/db/index.ts';
import { errorBody } from '../../src/edge/error-body.ts';
import { failureOf, refusalOf } from '../../src/edge/failures.ts';
import { headersOf } from '../../src/edge/refusal.ts';
import { ErrorReason } from '../../src/gen/intelligence/common/v1/error_reason_pb.ts';
import { silent } from '../support/database.ts';
import { failures } from '../support/gate-service.ts';

const texts = { minimumTopUpUsd: '5.00', topUpUrl: 'https://api.example.com/v1/wallet/top-ups' };
const documented = new Set(Object.keys(ErrorReason));

test.each(Object.values(failures))('$kind has a documented reason and a message that says what is wrong', (failure) => {
  const refusal = refusalOf(failure, texts);
  expect(documented).toContain(refusal.reason);
  expect(refusal.message).toMatch(/^[A-Za-z].{15,}$/s);
});

test('every documented reason is the reason of some failure', () => {
  const used = new Set(Object.values(failures).map((failure) => refusalOf(failure, texts).reason));
  for (const reason of documented) if (reason !== 'UNSPECIFIED') expect(used).toContain(reason);
});

test('a refusal for lack of credit is printed as documented', () => {
  const refusal = refusalOf(failures.insufficient_credit, texts);
  expect(headersOf(refusal)).toEqual({ 'retry-after': '2' });
  expect(JSON.parse(errorBody(refusal, 'req_1'))).toEqual({
    error: {
      code: 402,
      status: 'FAILED_PRECONDITION',
      message: expect.stringContaining('held by requests in flight'),
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'INSUFFICIENT_CREDIT',
          domain: 'intelligence',
          metadata: {
            balanceUsd: '0.000000005',
            heldUsd: '0.000000005',
            neededUsd: '0.000012',
            minimumTopUpUsd: '5.00',
            requestId: 'req_1',
          },
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.500s' },
        {
          '@type': 'type.googleapis.com/google.rpc.Help',
          links: [{ description: 'Add API credit', url: 'https://api.example.com/v1/wallet/top-ups' }],
        },
      ],
    },
  });
});

test('a connection that was refused is the database only where it was the database that refused', async () => {
  const [elsewhere] = await once(connect(1, '127.0.0.1'), 'error').catch((error: unknown) => [error]);
  expect(elsewhere).toMatchObject({ code: 'ECONNREFUSED' });
  expect(failureOf(elsewhere)).toEqual({ kind: 'internal' });

  const database = connectDatabase({ url: 'mysql://root@127.0.0.1:1/none', log: silent });
  const refused = await database.transaction(async () => undefined).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
  expect(failureOf(refused)).toMatchObject({ kind: 'database_unavailable' });
  await database.close();
});
