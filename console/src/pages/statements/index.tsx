import './statements.css';
import { useParams } from 'wouter-preact';
import { ReceiptPage } from './receipt.tsx';
import { StatementPage } from './statement.tsx';

/** What bookkeeping needs: the statement of a month, and the receipt of a top-up. Both are made to be printed. */
export default function Statements() {
  const { month, topUpId } = useParams<{ month?: string; topUpId?: string }>();
  // Any other text is no month: this one is shown then.
  const known = month !== undefined && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? month : undefined;
  return topUpId ? <ReceiptPage topUpId={topUpId} /> : <StatementPage month={known} />;
}
