import type { GuardrailJson } from '../../../gen/intelligence/key/v1/key_pb';
import { findText, t } from '../../i18n/index.ts';
import { Select } from '../../ui/index.ts';

const actions = ['', 'flag', 'mask', 'refuse'] as const;
const severities = ['low', 'medium', 'high', 'critical'] as const;
const packs = ['general', 'finance', 'health', 'legal', 'marketing', 'hr', 'marketplace'] as const;

interface GuardrailFieldsProps {
  label: string;
  /** Undefined: nothing is looked for. */
  value: GuardrailJson | undefined;
  onValue: (value: GuardrailJson | undefined) => void;
}

/** What is looked for in one direction. Categories can only be set through the API: they are kept. */
export function GuardrailFields({ label, value, onValue }: GuardrailFieldsProps) {
  const chosen = value?.packs ?? [];
  const categories = value?.categories?.length ?? 0;
  return (
    <fieldset class="keys-checks">
      <legend>{label}</legend>
      <Select
        label={t('keys.guardAction')}
        value={value?.action ?? ''}
        onValue={(action) => onValue(action === '' ? undefined : { ...value, action })}
        options={actions.map((action) => ({ value: action, label: findText('keys', `guard-${action}`) ?? action }))}
      />
      {value && (
        <>
          <Select
            label={t('keys.guardSeverity')}
            value={value.leastSeverity || 'medium'}
            onValue={(leastSeverity) => onValue({ ...value, leastSeverity })}
            options={severities.map((each) => ({ value: each, label: findText('keys', `severity-${each}`) ?? each }))}
          />
          <span class="help">{t('keys.guardPacks')}</span>
          <div class="keys-packs">
            {packs.map((pack) => (
              <label key={pack} class="check">
                <input
                  type="checkbox"
                  checked={chosen.includes(pack)}
                  onChange={({ currentTarget: { checked } }) =>
                    onValue({ ...value, packs: checked ? [...chosen, pack] : chosen.filter((each) => each !== pack) })
                  }
                />
                {pack}
              </label>
            ))}
          </div>
          {categories > 0 && <p class="help">{t('keys.guardCategories', { count: categories })}</p>}
        </>
      )}
    </fieldset>
  );
}
