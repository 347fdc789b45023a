import { useState } from 'preact/hooks';
import type { AdjustAccountResponseJson } from '../../../gen/intelligence/account/v1/account_service_pb';
import { t } from '../../i18n/index.ts';
import { exactText, readUsd } from '../../money.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { typedUsd, usdOf } from '../../typed-usd.ts';
import { AmountField, Banner, Button, Field, Section, Select } from '../../ui/index.ts';

/** Manually adds or removes credit, or reverses a charge. */
export function CorrectCredit({ account }: { account: string }) {
  const [accountId, setAccountId] = useState(account);
  const [what, setWhat] = useState('add');
  const [wallet, setWallet] = useState('api');
  const [chargeId, setChargeId] = useState('');
  const [amountUsd, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const [done, setDone] = useState<AdjustAccountResponseJson>();
  const { send, busy, failure } = useWrite('AccountService.AdjustAccount');
  const givesBack = what === 'giveBack';
  const request = {
    ...{ accountId: accountId.trim(), amountUsd: usdOf(amountUsd), reason },
    direction: what === 'take' ? 'take' : 'add',
    ...(givesBack ? { chargeId: chargeId.trim() } : { wallet }),
  };
  const isWrong = amountUsd.trim() !== '' && typedUsd(amountUsd) === undefined;
  const isWhole = !isWrong && Object.values(request).every((value) => value.trim() !== '');

  async function correct(): Promise<void> {
    setDone(undefined);
    const reply = await send(request);
    if (!reply) return;
    setDone(reply);
    setAmount('');
    setChargeId('');
    setReason('');
  }

  return (
    <Section title={t('operator-credits.correct')}>
      <p class="muted">{t('operator-credits.correctHelp')}</p>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void correct();
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
        <Select
          label={t('operator-credits.direction')}
          value={what}
          options={[
            { value: 'add', label: t('operator-credits.add') },
            { value: 'take', label: t('operator-credits.take') },
            { value: 'giveBack', label: t('operator-credits.giveBack') },
          ]}
          onValue={setWhat}
        />
        {givesBack ? (
          <Field
            label={t('operator-credits.charge')}
            help={t('operator-credits.chargeHelp')}
            required
            maxLength={64}
            value={chargeId}
            onValue={setChargeId}
          />
        ) : (
          <Select
            label={t('operator-credits.wallet')}
            value={wallet}
            options={[
              { value: 'api', label: t('operator-credits.walletApi') },
              { value: 'application', label: t('operator-credits.walletApplication') },
            ]}
            onValue={setWallet}
          />
        )}
        <AmountField
          label={t('operator-credits.amount')}
          error={isWrong ? t('operator-credits.amountWrong') : undefined}
          required
          value={amountUsd}
          onValue={setAmount}
        />
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void correct()} />
        {done && <Corrected reply={done} />}
        <p>
          <Button type="submit" kind="primary" busy={busy} disabled={!isWhole}>
            {t('operator-credits.correctDo')}
          </Button>
        </p>
      </form>
    </Section>
  );
}

function Corrected({ reply: { adjustment, wallet } }: { reply: AdjustAccountResponseJson }) {
  const amount = exactText(readUsd(adjustment?.amountUsd) ?? 0n);
  const balance = exactText(readUsd(wallet?.balanceUsd) ?? 0n);
  return <Banner kind="good" title={t('operator-credits.corrected', { amount, balance })} />;
}
