import { formatNumber, t } from '../../i18n/index.ts';
import { Field, Section } from '../../ui/index.ts';
import { readCount, type Usage } from './calculate.ts';

/** The input exactly as typed: it is in the address. */
export interface Typed {
  input: string;
  cached: string;
  output: string;
  requests: string;
}

const tokensMost = 10_000_000n;
const requestsMost = 1_000_000_000n;

/** The input as numbers; undefined while one of them is invalid. */
export function usageOf(typed: Typed): Usage | undefined {
  const input = readCount(typed.input, tokensMost);
  const cached = readCount(typed.cached, tokensMost);
  const output = readCount(typed.output, tokensMost);
  const requests = readCount(typed.requests, requestsMost);
  if (input === undefined || cached === undefined || output === undefined || requests === undefined) return undefined;
  return cached <= input ? { input, cached, output, requests } : undefined;
}

/** Four numbers; the table beside them says what they cost with each model. */
export function Calculator({ typed, onTyped }: { typed: Typed; onTyped: (change: Partial<Typed>) => void }) {
  const input = readCount(typed.input, tokensMost);
  const cached = readCount(typed.cached, tokensMost);
  const tooMany = input !== undefined && cached !== undefined && cached > input ? t('models.cachedMost') : undefined;
  return (
    <Section title={t('models.calculator')}>
      <p class="muted small">{t('models.calculatorHelp')}</p>
      <div class="models-numbers">
        <Count label={t('models.input')} value={typed.input} onValue={(to) => onTyped({ input: to })} />
        <Count
          label={t('models.cached')}
          value={typed.cached}
          problem={tooMany}
          onValue={(to) => onTyped({ cached: to })}
        />
        <Count label={t('models.output')} value={typed.output} onValue={(to) => onTyped({ output: to })} />
        <Count
          label={t('models.requests')}
          value={typed.requests}
          most={requestsMost}
          onValue={(to) => onTyped({ requests: to })}
        />
      </div>
    </Section>
  );
}

interface CountProps {
  label: string;
  value: string;
  most?: bigint;
  problem?: string | undefined;
  onValue: (value: string) => void;
}

function Count({ label, value, most = tokensMost, problem, onValue }: CountProps) {
  const wrong = readCount(value, most) === undefined ? t('models.number', { most: formatNumber(most) }) : problem;
  return <Field label={label} value={value} onValue={onValue} inputMode="numeric" maxLength={15} error={wrong} />;
}
