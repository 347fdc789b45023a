import { Link } from 'wouter-preact';
import type { KeyJson } from '../../gen/intelligence/key/v1/key_pb';
import { useAllKeys } from '../credentials/all-keys.ts';
import { loadTexts, t } from '../i18n/index.ts';
import type { AllRows } from '../paging.ts';
import { Banner } from '../ui/banner.tsx';
import { Select } from '../ui/field.tsx';
import { tokenCapText, tokenSeconds } from './payer.ts';

await loadTexts('paying');

export type Key = KeyJson;

/** The account's keys, to choose the paying one from. */
export const useKeys = useAllKeys;

/** The keys that can pay for requests with a scope; undefined while unknown. */
export function payingKeys(data: AllRows<Key> | undefined, scope: 'chat' | 'workflows'): readonly Key[] | undefined {
  const can = ({ kind, state, scopes }: Key) =>
    kind !== 'management' && state === 'active' && scopes?.includes(scope) === true;
  return data?.rows.filter(can);
}

/** The chosen key, else the first. */
export function chosenKey(keys: readonly Key[] | undefined, keyId: string): Key | undefined {
  return keys?.find((key) => key.keyId === keyId) ?? keys?.[0];
}

interface KeyChoiceProps {
  keys: readonly Key[];
  value: string;
  onValue: (keyId: string) => void;
  disabled?: boolean;
}

/** Which key pays, and how little of it a page can spend. */
export function KeyChoice({ keys, value, onValue, disabled = false }: KeyChoiceProps) {
  return (
    <Select
      label={t('paying.paysWith')}
      help={t('paying.paysWithHelp', { amount: tokenCapText(), count: tokenSeconds / 60 })}
      value={value}
      disabled={disabled}
      options={keys.map(({ keyId = '', displayName = '', lastFour = '' }) => ({
        value: keyId,
        label: `${displayName} …${lastFour}`,
      }))}
      onValue={onValue}
    />
  );
}

/** The next step for an account without a key that could pay. */
export function NoPayingKey() {
  return (
    <Banner
      kind="info"
      title={t('paying.noPayingKey')}
      action={
        <Link class="button primary" href="/keys?create">
          {t('paying.makeKey')}
        </Link>
      }
    >
      {t('paying.noPayingKeyHelp')}
    </Banner>
  );
}
