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

/** The account's keys, to be paid with. */
export const useKeys = useAllKeys;

/** Those that can pay for what needs a scope; undefined while they are not known. */
export function payingKeys(data: AllRows<Key> | undefined, scope: 'chat' | 'workflows'): readonly Key[] | undefined {
  const can = ({ kind, state, scopes }: Key) =>
    kind !== 'management' && state === 'active' && scopes?.includes(scope) === true;
  return data?.rows.filter(can);
}

/** The key that is chosen, else the first. */
export function chosenKey(keys: readonly Key[] | undefined, keyId: string): Key | undefined {
  return keys?.find((key) => key.keyId === keyId) ?? keys?.[0];
}

interface KeyChoiceProps {
  keys: readonly Key[];
  value: string;
  onValue: (keyId: string) => void;
  disabled?: boolean;
}

/** Which key pays, and how little of it a page holds. */
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

/** The one next step of an account without a key that could pay. */
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
