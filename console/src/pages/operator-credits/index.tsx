import { t } from '../../i18n/index.ts';
import { Page, useFilters } from '../../ui/index.ts';
import { CorrectCredit } from './correct.tsx';
import { Adjustments, PendingTopUps } from './lists.tsx';
import { RecordPayment } from './record.tsx';

/** Manual payments and corrections, for operators. `?account=` prefills the forms. */
export default function OperatorCredits() {
  const [{ account }] = useFilters({ account: '' });
  return (
    <Page title={t('operator-credits.title')} lead={t('operator-credits.lead')}>
      <div class="halves">
        <RecordPayment account={account} />
        <CorrectCredit account={account} />
      </div>
      <PendingTopUps />
      <Adjustments />
    </Page>
  );
}
