import type { ListChargesRequestJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { useAllKeys } from '../../credentials/all-keys.ts';
import { type Day, lastDays, rangeText, startOf, timesOf } from '../../days.ts';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Button, FilterChip, Filters, Select, TypedFilter } from '../../ui/index.ts';

export const noFilters = {
  days: '30',
  from: '',
  to: '',
  state: '',
  operation: '',
  model: '',
  key: '',
  subject: '',
  device: '',
  label: '',
  request: '',
};
export type ChargeFilterValues = typeof noFilters;

const states = ['held', 'settled', 'released', 'expired', 'superseded'] as const;
const periods = [1, 7, 30, 90, 400];

/** The API request for the filters at a given time. */
export function requestOf(values: ChargeFilterValues, now: Date): ListChargesRequestJson {
  const { days, state, operation, model, key, subject, device, label, request } = values;
  const count = periods.find((period) => String(period) === days) ?? 30;
  const range = rangeOf(values);
  const at = label.indexOf('=');
  return {
    ...(range ? timesOf(range.first, range.last) : { startTime: before(now, count) }),
    pageSize: 50,
    ...(states.some((known) => known === state) && { state: state as (typeof states)[number] }),
    ...(operation && { operation }),
    ...(model && { model }),
    ...(key && { keyId: key }),
    ...(subject && { subject }),
    ...(device && { deviceId: device }),
    ...(request && { requestId: request }),
    ...(at > 0 && { metadata: { key: label.slice(0, at), value: label.slice(at + 1) } }),
  };
}

/** That many days ago, to the minute. */
function before(now: Date, days: number): string {
  return new Date(Math.floor(now.getTime() / 60_000) * 60_000 - days * 86_400_000).toISOString();
}

/** The days named by a link from Usage, inclusive; they take precedence over the period. */
function rangeOf({ from, to }: ChargeFilterValues): { first: Day; last: Day } | undefined {
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(startOf(text).getTime());
  return isDay(from) && isDay(to) && from <= to ? { first: from, last: to } : undefined;
}

interface ChargeFiltersProps {
  values: ChargeFilterValues;
  set: (changes: Partial<ChargeFilterValues>) => void;
}

/** The choices are what was used in the last 90 days. */
export function ChargeFilters({ values, set }: ChargeFiltersProps) {
  const { startTime, endTime } = lastDays(90);
  const used = useRpc('WalletService.GetUsage', {
    startTime,
    endTime,
    groupBy: ['operation', 'model'],
    pageSize: 1_000,
  });
  const keys = useAllKeys();
  const range = rangeOf(values);
  const rows = used.data?.rows ?? [];
  const keyOptions = (keys.data?.rows ?? []).map(({ keyId = '', displayName = '', lastFour }) => ({
    value: keyId,
    label: `${displayName || keyId} …${lastFour ?? ''}`,
  }));
  return (
    <>
      <Filters label={t('charges.filters')}>
        <Select
          label={t('charges.period')}
          value={range ? 'range' : values.days}
          options={[
            ...(range ? [{ value: 'range', label: rangeText(range.first, range.last) }] : []),
            ...periods.map((count) => ({ value: String(count), label: t('charges.days', { count }) })),
          ]}
          onValue={(days) => set({ days, from: '', to: '' })}
        />
        <Choice
          label={t('charges.state')}
          value={values.state}
          options={states.map((state) => ({ value: state, label: t(`charges.${state}`) }))}
          onValue={(state) => set({ state })}
        />
        <Choice
          label={t('charges.operation')}
          value={values.operation}
          options={distinct(rows.map(({ operation }) => operation))}
          onValue={(operation) => set({ operation })}
        />
        <Choice
          label={t('charges.model')}
          value={values.model}
          options={distinct(rows.map(({ model }) => model))}
          onValue={(model) => set({ model })}
        />
        <Choice label={t('charges.key')} value={values.key} options={keyOptions} onValue={(key) => set({ key })} />
        <TypedFilter label={t('charges.subject')} value={values.subject} onValue={(subject) => set({ subject })} />
        <TypedFilter
          label={t('charges.label')}
          placeholder={t('charges.labelHelp')}
          value={values.label}
          onValue={(label) => set({ label })}
        />
        <TypedFilter
          label={t('charges.request')}
          placeholder={t('charges.requestHelp')}
          value={values.request}
          onValue={(request) => set({ request })}
        />
      </Filters>
      {range && <p class="muted small">{t('charges.rangeHelp')}</p>}
      <p class="charges-chips">
        {values.device && (
          <FilterChip name={`${t('charges.device')} ${values.device}`} onRemove={() => set({ device: '' })} />
        )}
        {JSON.stringify({ ...values, days: '' }) !== JSON.stringify({ ...noFilters, days: '' }) && (
          <Button kind="quiet" onClick={() => set({ ...noFilters, days: values.days })}>
            {t('charges.clear')}
          </Button>
        )}
      </p>
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onValue: (value: string) => void;
}

/** One of the available options, or all. A value that came with a link is included. */
function Choice({ label, value, options, onValue }: ChoiceProps) {
  const known = value === '' || options.some((option) => option.value === value);
  const all = [{ value: '', label: t('charges.all') }, ...options, ...(known ? [] : [{ value, label: value }])];
  return <Select label={label} value={value} options={all} onValue={onValue} />;
}

function distinct(names: readonly (string | undefined)[]): { value: string; label: string }[] {
  return [...new Set(names)]
    .filter((name) => name !== undefined)
    .sort()
    .map((name) => ({ value: name, label: name }));
}
