import type { MetadataFilterJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { t } from '../../i18n/index.ts';
import { FilterChip, Filters, Select, TypedFilter } from '../../ui/index.ts';
import { groups } from './sums.ts';

type Values = Record<'days' | 'group' | 'step' | 'label' | 'only', string>;

interface UsageFiltersProps {
  values: Values;
  set: (changes: Partial<Values>) => void;
  metadata: MetadataFilterJson | undefined;
}

/** Which usage is shown. Typed values apply when the field is left, or at Enter. */
export function UsageFilters({ values, set, metadata }: UsageFiltersProps) {
  const days = [1, 7, 30, 90, 365].map((count) => ({ value: String(count), label: t('usage.days', { count }) }));
  return (
    <Filters label={t('usage.filters')}>
      <Select label={t('usage.period')} value={values.days} options={days} onValue={(value) => set({ days: value })} />
      <Select
        label={t('usage.groupBy')}
        value={values.group}
        options={groups.map((value) => ({ value, label: t(`usage.by-${value}`) }))}
        onValue={(value) => set({ group: value })}
      />
      {values.group === 'label' && (
        <TypedFilter
          size={16}
          label={t('usage.label')}
          placeholder="project"
          value={values.label}
          onValue={(label) => set({ label })}
        />
      )}
      {Number(values.days) <= 7 && (
        <Select
          label={t('usage.step')}
          value={values.step}
          options={(['day', 'hour'] as const).map((value) => ({ value, label: t(`usage.step-${value}`) }))}
          onValue={(value) => set({ step: value })}
        />
      )}
      <TypedFilter
        size={16}
        label={t('usage.onlyLabel')}
        placeholder={t('usage.onlyLabelHelp')}
        value={values.only}
        onValue={(only) => set({ only })}
      />
      {metadata && (
        <FilterChip
          name={t('usage.onlyLabelChip', { name: metadata.key ?? '', value: metadata.value ?? '' })}
          onRemove={() => set({ only: '' })}
        />
      )}
    </Filters>
  );
}
