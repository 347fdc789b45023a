import { Link } from 'wouter-preact';
import type { RpcReply } from '../api.ts';
import { t } from '../i18n/index.ts';
import { useRpc } from '../query.ts';
import { Banner } from '../ui/banner.tsx';
import { Select } from '../ui/field.tsx';
import { tokenCapUsd, tokenSeconds } from './payer.ts';

export type Key = NonNullable<RpcReply<'KeyService.ListKeys'>['keys']>[number];

/** The account's keys, to be paid with. */
export function useKeys() {
  return useRpc('KeyService.ListKeys', { pageSize: 100 });
}

/** Those that can pay for what needs a scope; undefined while they are not known. */
export function payingKeys(
  data: RpcReply<'KeyService.ListKeys'> | undefined,
  scope: 'chat' | 'workflows',
): readonly Key[] | undefined {
  const can = ({ kind, state, scopes }: Key) =>
    kind !== 'management' && state === 'active' && scopes?.includes(scope) === true;
  return data && (data.keys ?? []).filter(can);
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
      label={t('common.paysWith')}
      help={t('common.paysWithHelp', { amount: `$${tokenCapUsd}`, count: tokenSeconds / 60 })}
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
      title={t('common.noPayingKey')}
      action={
        <Link class="button primary" href="/keys?create">
          {t('common.makeKey')}
        </Link>
      }
    >
      {t('common.noPayingKeyHelp')}
    </Banner>
  );
}
