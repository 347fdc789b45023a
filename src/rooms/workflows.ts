import { chatDeadlineMs, createModelCalls } from '../chat/index.ts';
import { createOutcomes } from '../outcomes/index.ts';
import { createPulse } from '../pulse/index.ts';
import { createWorkflows } from '../workflows/index.ts';
import type { Chats } from './chat.ts';
import type { Foundation } from './foundation.ts';
import type { Models } from './models.ts';
import type { Money } from './money.ts';
import type { Opening } from './opening.ts';
import { alertData, pulsePrice } from './settings.ts';

/** What judges and counts for a business: pulse, workflows, and what came of their judgements. */
export function openWorkflows(
  { config, secrets, clock, log, stack }: Opening,
  { sandbox, db, ledger, webhooks, catalog, calling, ownPacks }: Foundation & Money & Models & Chats,
) {
  const pulse = stack.use(
    createPulse({
      ...{ db, ledger, clock, log },
      price: (accountId) => pulsePrice(catalog, accountId),
      announce: (tx, change) => webhooks.enqueue(tx, change.accountId, 'pulse.alert', alertData(change)),
      secret: secrets.fingerprintKey,
      bytesPerDayMax: config.pulse.mebibytesPerDay * 1_048_576,
    }),
  );
  const { retentionDays } = config.outcomes;
  const outcomes = stack.start(createOutcomes({ db, clock, log, retentionDays }));
  const workflows = createWorkflows({
    ...{ db, ledger, sandbox, ownPacks, log, clock },
    keepJudgements: retentionDays > 0,
    prices: catalog,
    assistant: createModelCalls({ ...calling, sandbox, deadlineMs: chatDeadlineMs }),
  });
  return { pulse, outcomes, workflows };
}
