import { t } from '../i18n/index.ts';
import { balanceText, costText, exactText, formatUsd, type NanoUsd, readUsd } from '../money.ts';

interface MoneyProps {
  /** As the API states it, or nano-USD. Undefined: unknown, shown as a dash. */
  usd: string | NanoUsd | undefined;
  /** `cost`: four significant digits. `balance`: cut to cents. `exact`: every digit, as in tables and wherever figures add up. */
  as?: 'cost' | 'balance' | 'exact';
}

const texts = { cost: costText, balance: balanceText, exact: exactText };

/**
 * An amount. A shortened one is marked: with `…` if cut, with `≈` if rounded; hovering over it, focusing it with the keyboard, and copying give
 * every digit down to the nano-USD.
 */
export function Money({ usd, as = 'exact' }: MoneyProps) {
  const amount = typeof usd === 'bigint' ? usd : readUsd(usd);
  if (amount === undefined) return <span class="muted">–</span>;
  const exact = exactText(amount);
  const shown = texts[as](amount);
  return (
    <data
      class={`money${amount < 0n ? ' negative' : ''}${shown === exact ? '' : ` ${as}`}`}
      value={formatUsd(amount)}
      {...(shown !== exact && shortened(as, exact))}
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

/** A balance is one of a page's few main figures, so the keyboard stops at it; costs are many, and tables have their exact values. */
function shortened(as: 'cost' | 'balance' | 'exact', exact: string) {
  const title = t(as === 'balance' ? 'common.exactCut' : 'common.exact', { amount: exact });
  return {
    title,
    'data-exact': title,
    ...(as === 'balance' && { tabIndex: 0, role: 'note' as const, 'aria-label': title }),
  };
}

function isAlone(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && element.contains(selection.anchorNode) && element.contains(selection.focusNode);
}
