import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { PaymentOptionsJson, TopUpJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { exactText, formatUsd, readUsd, shortText } from '../../money.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { AmountField, Async, Button, Failure, toast } from '../../ui/index.ts';
import { amountOf, suggested } from './amount.ts';

interface TopUpFormProps {
  /** Which wallet: the API's, or the companion application's. */
  kind: 'api' | 'application';
}

/** Buys credit. An amount that cannot be bought is explained beside the field, before anything is sent. */
export function TopUpForm({ kind }: TopUpFormProps) {
  const options = useRpc('WalletService.GetPaymentOptions', {}, { staleTime: 600_000 });
  return (
    <Async query={options} lines={4}>
      {(reply) => (reply.options ? <Form kind={kind} options={reply.options} /> : null)}
    </Async>
  );
}

function Form({ kind, options }: TopUpFormProps & { options: PaymentOptionsJson }) {
  const [text, setText] = useState('20');
  const [problem, setProblem] = useState<string>();
  const topUp = useTopUp(kind);
  const choose = (value: string) => {
    setText(value);
    setProblem(undefined);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = amountOf(text, options);
    setProblem(typed.problem);
    // A second press after payment must not buy the same again.
    if (typed.amount !== undefined)
      topUp.mutate({ amountUsd: formatUsd(typed.amount) }, { onSuccess: () => setText('') });
  };
  const [least, most] = [readUsd(options.minimumUsd), readUsd(options.maximumUsd)];
  return (
    <form class="form" onSubmit={submit} noValidate>
      {topUp.error && <Failure failure={topUp.error} />}
      <fieldset class="credit-suggested">
        <legend class="read-only">{t('credit.suggested')}</legend>
        {suggested
          .filter((each) => amountOf(each, options).amount !== undefined)
          .map((each) => (
            <Button key={each} aria-pressed={text === each} onClick={() => choose(each)}>
              {shortText(readUsd(each) ?? 0n)}
            </Button>
          ))}
      </fieldset>
      <AmountField
        label={t('credit.amount')}
        {...(least !== undefined &&
          most !== undefined && { help: t('credit.amountHelp', { least: exactText(least), most: exactText(most) }) })}
        error={problem}
        value={text}
        onValue={choose}
      />
      <div class="actions">
        <Button kind={kind === 'api' ? 'primary' : 'plain'} type="submit" busy={topUp.isPending}>
          {kind === 'api' ? t('credit.submit') : t('credit.applicationTopUp')}
        </Button>
      </div>
      <HowToPay options={options} />
    </form>
  );
}

/** How to pay when it is not on a payment provider's page. */
function HowToPay({ options: { provider, sandbox, instructions } }: { options: PaymentOptionsJson }) {
  if (sandbox) return <p class="muted small">{t('credit.sandbox')}</p>;
  if (provider !== 'manual') return null;
  return (
    <div class="small">
      <p class="muted">{t('credit.manual')}</p>
      <p class="credit-instructions">{instructions || t('credit.manualNone')}</p>
    </div>
  );
}

/** Requests a top-up and shows the outcome: that it is paid, or how to pay. */
function useTopUp(kind: TopUpFormProps['kind']) {
  const [, navigate] = useLocation();
  const onSuccess = ({ topUp }: { topUp?: TopUpJson }) => {
    const amount = exactText(readUsd(topUp?.amountUsd) ?? 0n);
    if (topUp?.state === 'paid') toast(t('credit.paid', { amount }));
    // Only top-ups of the API's wallet can be looked up by id.
    else if (kind === 'application' && topUp?.paymentUrl) location.assign(topUp.paymentUrl);
    else if (kind === 'api') navigate(`/credit/${topUp?.topUpId}`);
    else toast(t('credit.asked', { amount }));
  };
  const api = useRpcMutation('WalletService.CreateTopUp', { onSuccess });
  const application = useRpcMutation('WalletService.CreateApplicationTopUp', { onSuccess });
  return kind === 'api' ? api : application;
}
