import './operator-accounts.css';
import { useParams } from 'wouter-preact';
import { AccountDetail } from './detail.tsx';
import { AccountList } from './list.tsx';

/** Accounts, for operators: all of them, or one. */
export default function OperatorAccounts() {
  const { accountId } = useParams<{ accountId?: string }>();
  return accountId === undefined ? <AccountList /> : <AccountDetail key={accountId} accountId={accountId} />;
}
