import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { StatementSchema } from '../gen/intelligence/wallet/v1/wallet_pb.ts';
import type { WalletService } from '../gen/intelligence/wallet/v1/wallet_service_pb.ts';
import type { Statement, Statements } from '../wallet/index.ts';
import { accountToRead } from './caller.ts';
import type { Handlers } from './handlers.ts';
import { usageMessage } from './usage.ts';

/** WalletService's monthly statements. */
export function statementHandlers(statements: Statements): Pick<Handlers<typeof WalletService>, 'getStatement'> {
  return {
    getStatement: async (request, { caller }) => {
      const statement = await statements.monthly(accountToRead(caller, request), request.month);
      return { statement: statementMessage(unwrap(statement)) };
    },
  };
}

function statementMessage(statement: Statement): MessageInitShape<typeof StatementSchema> {
  const { month, start, end, final, opening, closing, movements, usage } = statement;
  return {
    ...{ month, final, startTime: timestampFromDate(start), endTime: timestampFromDate(end) },
    ...{ openingBalanceUsd: formatUsd(opening), closingBalanceUsd: formatUsd(closing) },
    movements: movements.map(({ kind, count, amount }) => ({ kind, count, amountUsd: formatUsd(amount) })),
    usage: usage.map(usageMessage),
  };
}
