import './keys.css';
import { useEffect, useState } from 'preact/hooks';
import { useLocation, useParams, useSearchParams } from 'wouter-preact';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ListKeysResponseJson } from '../../../gen/intelligence/key/v1/key_service_pb';
import type { GetUsageResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { NextStep } from '../../credentials/next-step.tsx';
import { RevokeDialog } from '../../credentials/revoke-dialog.tsx';
import { RotateDialog } from '../../credentials/rotate-dialog.tsx';
import { lastDays } from '../../days.ts';
import { t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { Async, Button, Curl, Filters, Page, Section, Select, useFilters } from '../../ui/index.ts';
import { KeyDetails } from './details.tsx';
import { FirstKey } from './first-key.tsx';
import { KeyForm } from './form.tsx';
import { KeyList } from './list.tsx';
import { ProviderKeys } from './provider-keys.tsx';

const keysOf = ({ keys = [] }: ListKeysResponseJson) => keys.filter(({ kind }) => kind === 'live');
const usageOf = ({ rows }: GetUsageResponseJson) => rows;

type Step = { what: 'create' } | { what: 'edit' | 'rotate' | 'revoke'; key: KeyJson };

/** The API keys of the account: what each costs, and what is done with it. */
export default function Keys() {
  const { keyId } = useParams<{ keyId?: string }>();
  const [, navigate] = useLocation();
  const [filters, setFilters] = useFilters({ show: 'active' });
  const [step, setStep] = useState<Step>();
  // Links on other pages may ask for the form: `?create`.
  const [params, setParams] = useSearchParams();
  const asked = params.has('create');
  useEffect(() => {
    if (!asked) return;
    setStep({ what: 'create' });
    setParams({}, { replace: true });
  }, [asked]);
  const { startTime, endTime } = lastDays(30);
  const keys = useAllRows('KeyService.ListKeys', {}, keysOf);
  const usage = useAllRows('WalletService.GetUsage', { startTime, endTime, groupBy: ['key'] }, usageOf);
  // A key's last use is known within a minute; its cost, at once.
  const isUnused = usage.data?.rows.length === 0;
  const shownOf = (rows: readonly KeyJson[]) =>
    filters.show === 'all' ? rows : rows.filter(({ state }) => state === 'active');
  const close = () => setStep(undefined);
  const of = (what: Step['what']) => (step?.what === what && 'key' in step ? step.key : undefined);
  return (
    <Page
      title={t('keys.title')}
      lead={t('keys.lead')}
      actions={
        <Button kind="primary" onClick={() => setStep({ what: 'create' })}>
          {t('keys.create')}
        </Button>
      }
    >
      <Section
        title={t('keys.list')}
        actions={
          <Filters label={t('keys.show')}>
            <Select
              label={t('keys.show')}
              quiet
              value={filters.show}
              onValue={(show) => setFilters({ show })}
              options={[
                { value: 'active', label: t('keys.showActive') },
                { value: 'all', label: t('keys.showAll') },
              ]}
            />
          </Filters>
        }
      >
        <Async query={keys} lines={6} isEmpty={({ rows }) => rows.length === 0} empty={<FirstKey />}>
          {({ rows }) => (
            <>
              {isUnused && rows.every(({ lastUsedTime }) => lastUsedTime === undefined) && <NextStep />}
              <KeyList keys={shownOf(rows)} usage={usage} current={keyId} />
            </>
          )}
        </Async>
        <Curl name="KeyService.ListKeys" request={{}} />
      </Section>
      <ProviderKeys />
      <KeyDetails
        keyId={keyId}
        keys={keys}
        onClose={() => {
          // After Back, the address is already the list's.
          if (keyId !== undefined) navigate('/keys');
        }}
        onStep={(what, key) => setStep({ what, key })}
      />
      <KeyForm open={step?.what === 'create'} onClose={close} />
      {step?.what === 'edit' && <KeyForm key={step.key.keyId} target={step.key} open onClose={close} />}
      <RotateDialog target={of('rotate')} onClose={close} />
      <RevokeDialog target={of('revoke')} onClose={close} />
    </Page>
  );
}
