import { useEffect, useState } from 'preact/hooks';
import type { LowBalanceAlertJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { formatUsd, readUsd } from '../../money.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { typedUsd, usdToType } from '../../typed-usd.ts';
import { AmountField, Async, Badge, Button, Failure, Section, toast } from '../../ui/index.ts';

/** The balance below which the account is notified. */
export function Alert() {
  const alert = useRpc('WalletService.GetLowBalanceAlert', {});
  return (
    <Section title={t('credit.alert')} folds>
      <p class="muted">{t('credit.alertHelp')}</p>
      <Async query={alert} lines={3}>
        {(reply) => <Form alert={reply.alert ?? {}} />}
      </Async>
    </Section>
  );
}

function Form({ alert }: { alert: LowBalanceAlertJson }) {
  const stored = (readUsd(alert.thresholdUsd) ?? 0n) === 0n ? '' : usdToType(alert.thresholdUsd ?? '');
  const [text, setText] = useState(stored);
  useEffect(() => setText(stored), [stored]);
  const update = useRpcMutation('WalletService.UpdateLowBalanceAlert', {
    onSuccess: () => toast(t('credit.alertSaved')),
  });
  const typed = text.trim() === '' ? 0n : typedUsd(text);
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== undefined) update.mutate({ thresholdUsd: formatUsd(typed) });
      }}
    >
      {update.error && <Failure failure={update.error} />}
      {alert.below && <Badge kind="warning">{t('credit.alertBelow')}</Badge>}
      <AmountField
        label={t('credit.alertAt')}
        help={t('credit.alertOff')}
        error={typed === undefined ? t('credit.alertWrong') : undefined}
        value={text}
        onValue={setText}
      />
      <div class="actions">
        <Button type="submit" busy={update.isPending} disabled={typed === undefined}>
          {t('credit.alertSave')}
        </Button>
      </div>
    </form>
  );
}
