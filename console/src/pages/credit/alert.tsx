import { useEffect, useState } from 'preact/hooks';
import type { LowBalanceAlertJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { formatUsd, readUsd } from '../../money.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Badge, Button, Failure, Field, Section, toast } from '../../ui/index.ts';

/** Below which balance the account is told. */
export function Alert() {
  const alert = useRpc('WalletService.GetLowBalanceAlert', {});
  return (
    <Section title={t('credit.alert')}>
      <p class="muted">{t('credit.alertHelp')}</p>
      <Async query={alert} lines={3}>
        {(reply) => <Form alert={reply.alert ?? {}} />}
      </Async>
    </Section>
  );
}

function Form({ alert }: { alert: LowBalanceAlertJson }) {
  const stored = (readUsd(alert.thresholdUsd) ?? 0n) === 0n ? '' : (alert.thresholdUsd ?? '');
  const [text, setText] = useState(stored);
  useEffect(() => setText(stored), [stored]);
  const update = useRpcMutation('WalletService.UpdateLowBalanceAlert', {
    onSuccess: () => toast(t('credit.alertSaved')),
  });
  const typed = text.trim() === '' ? 0n : text.trim().startsWith('-') ? undefined : readUsd(text.trim());
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
      <Field
        label={t('credit.alertAt')}
        help={t('credit.alertOff')}
        error={typed === undefined ? t('credit.alertWrong') : undefined}
        before="$"
        inputMode="decimal"
        autocomplete="off"
        value={text}
        onValue={setText}
        maxLength={19}
      />
      <div class="actions">
        <Button type="submit" busy={update.isPending} disabled={typed === undefined}>
          {t('credit.alertSave')}
        </Button>
      </div>
    </form>
  );
}
