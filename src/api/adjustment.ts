import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { AdjustmentSchema } from '../gen/intelligence/wallet/v1/wallet_pb.ts';
import type { Adjustment } from '../wallet/index.ts';

export function adjustmentMessage(adjustment: Omit<Adjustment, 'balance'>): MessageInitShape<typeof AdjustmentSchema> {
  return present({
    adjustmentId: adjustment.adjustmentId,
    amountUsd: formatUsd(adjustment.amount),
    reason: adjustment.reason,
    actor: adjustment.actor,
    chargeId: adjustment.reversesChargeId,
    time: timestampFromDate(adjustment.time),
  });
}
