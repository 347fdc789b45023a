import './statements.css';
import { useParams } from 'wouter-preact';
import { ReceiptPage } from './receipt.tsx';
import { StatementPage } from './statement.tsx';

/** What bookkeeping needs: the statement of a month, and the receipt of a top-up. Both are meant for printing. */
export default function Statements() {
  const { month, topUpId } = useParams<{ month?: string; topUpId?: string }>();
  // Any other text is not a month: the current one is then shown.
  const known = month !== undefined && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? month : undefined;
  return topUpId ? <ReceiptPage topUpId={topUpId} /> : <StatementPage month={known} />;
}
