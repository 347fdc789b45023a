import { useState } from 'preact/hooks';
import type { CreditAccountResponseJson } from '../../../gen/intelligence/account/v1/account_service_pb';
import { t } from '../../i18n/index.ts';
import { exactText, readUsd } from '../../money.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { typedUsd, usdOf } from '../../typed-usd.ts';
import { AmountField, Banner, Button, Curl, Field, Section, timeText } from '../../ui/index.ts';

/** Records a payment that arrived outside any provider. */
export function RecordPayment({ account }: { account: string }) {
  const [accountId, setAccountId] = useState(account);
  const [amountUsd, setAmount] = useState('');
  const [reference, setReference] = useState('');
  const [reason, setReason] = useState('');
  const [done, setDone] = useState<CreditAccountResponseJson>();
  const { send, busy, failure } = useWrite('AccountService.CreditAccount');
  const request = { accountId: accountId.trim(), amountUsd: usdOf(amountUsd), reference: reference.trim(), reason };
  const isWrong = amountUsd.trim() !== '' && typedUsd(amountUsd) === undefined;
  const isWhole = !isWrong && Object.values(request).every((value) => value.trim() !== '');

  async function record(): Promise<void> {
    setDone(undefined);
    const reply = await send(request);
    if (!reply) return;
    setDone(reply);
    setAmount('');
    setReference('');
    setReason('');
  }

  return (
    <Section title={t('operator-credits.record')}>
      <p class="muted">{t('operator-credits.recordHelp')}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void record();
        }}
      >
        <Field
          label={t('operator-credits.account')}
          help={t('operator-credits.accountHelp')}
          required
          maxLength={64}
          value={accountId}
          onValue={setAccountId}
        />
        <AmountField
          label={t('operator-credits.amount')}
          help={t('operator-credits.amountHelp')}
          error={isWrong ? t('operator-credits.amountWrong') : undefined}
          required
          value={amountUsd}
          onValue={setAmount}
        />
        <Field
          label={t('operator-credits.reference')}
          help={t('operator-credits.referenceHelp')}
          required
          maxLength={200}
          value={reference}
          onValue={setReference}
        />
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void record()} />
        {done && <Recorded reply={done} />}
        <p>
          <Button type="submit" kind="primary" busy={busy} disabled={!isWhole}>
            {t('operator-credits.recordDo')}
          </Button>
        </p>
      </form>
      {isWhole && <Curl name="AccountService.CreditAccount" request={request} credential="OPERATOR_TOKEN" />}
    </Section>
  );
}

function Recorded({ reply: { topUp, wallet, alreadyRecorded } }: { reply: CreditAccountResponseJson }) {
  const amount = exactText(readUsd(topUp?.amountUsd) ?? 0n);
  if (alreadyRecorded) {
    const time = timeText(new Date(topUp?.payTime ?? topUp?.createTime ?? 0), 'full');
    return (
      <Banner kind="warning" title={t('operator-credits.already')}>
        {t('operator-credits.alreadyHelp', { amount, time })}
      </Banner>
    );
  }
  const balance = exactText(readUsd(wallet?.balanceUsd) ?? 0n);
  return <Banner kind="good" title={t('operator-credits.recorded', { amount, balance })} />;
}
