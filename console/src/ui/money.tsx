import { t } from '../i18n/index.ts';
import { balanceText, costText, exactText, formatUsd, type NanoUsd, readUsd } from '../money.ts';

interface MoneyProps {
  /** As the API states it, or nano-USD. Undefined is not known, and shown as a dash. */
  usd: string | NanoUsd | undefined;
  /** `cost`: four significant digits. `balance`: cut to cents. `exact`: each digit, as tables have it. */
  as?: 'cost' | 'balance' | 'exact';
}

const texts = { cost: costText, balance: balanceText, exact: exactText };

/** An amount. Whatever is shown, hovering over it and copying give every digit down to the nano-USD. */
export function Money({ usd, as = 'exact' }: MoneyProps) {
  const amount = typeof usd === 'bigint' ? usd : readUsd(usd);
  if (amount === undefined) return <span class="muted">–</span>;
  const exact = exactText(amount);
  const shown = texts[as](amount);
  return (
    <data
      class={`money${amount < 0n ? ' negative' : ''}`}
      value={formatUsd(amount)}
      {...(shown !== exact && { title: t('common.exact', { amount: exact }) })}
      onCopy={(event) => {
        if (!event.clipboardData || !isAlone(event.currentTarget)) return;
        event.clipboardData.setData('text/plain', formatUsd(amount));
        event.preventDefault();
      }}
    >
      {shown}
    </data>
  );
}

function isAlone(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && element.contains(selection.anchorNode) && element.contains(selection.focusNode);
}
