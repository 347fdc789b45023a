import type { UseQueryResult } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ChargeJson, UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { ListChargesResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import type { ApiFailure } from '../../api.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { type NanoUsd, readUsd, sumUsd } from '../../money.ts';
import type { AllRows } from '../../paging.ts';
import { Async, type Column, Money, Section, Table, Time } from '../../ui/index.ts';

interface TopKeysProps {
  usage: UseQueryResult<AllRows<UsageRowJson>, ApiFailure>;
  keys: readonly KeyJson[];
}

interface KeyRow {
  id: string;
  name: string;
  lastFour?: string;
  requests: bigint;
  cost: NanoUsd | undefined;
}

const most = 5;

/** The most expensive keys, and the others combined, so that the sum covers all. */
export function TopKeys({ usage, keys }: TopKeysProps) {
  const columns = (rows: readonly UsageRowJson[]): Column<KeyRow>[] => [
    {
      id: 'key',
      title: t('overview.key'),
      phone: 'title',
      cell: ({ name, lastFour }) => (
        <>
          {name} {lastFour && <code class="muted">…{lastFour}</code>}
        </>
      ),
      total: t('common.total'),
    },
    {
      id: 'requests',
      title: t('overview.requests'),
      align: 'end',
      cell: ({ requests }) => formatNumber(requests),
      total: formatNumber(rows.reduce((sum, { charges }) => sum + BigInt(charges ?? 0), 0n)),
    },
    {
      id: 'cost',
      title: t('overview.cost'),
      align: 'end',
      cell: ({ cost }) => <Money usd={cost} />,
      total: <Money usd={sumUsd(rows.map(({ costUsd }) => costUsd))} />,
    },
  ];
  return (
    <Section title={t('overview.topKeys')} actions={<Link href="/keys">{t('overview.allKeys')}</Link>}>
      <Async
        query={usage}
        lines={5}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<p class="empty">{t('overview.noKeys')}</p>}
      >
        {({ rows }) => (
          <Table
            caption={t('overview.topKeys')}
            columns={columns(rows)}
            rows={keyRows(rows, keys)}
            rowKey={({ id }) => id}
          />
        )}
      </Async>
    </Section>
  );
}

function keyRows(rows: readonly UsageRowJson[], keys: readonly KeyJson[]): KeyRow[] {
  const all = rows
    .map(({ keyId = '', charges, costUsd }): KeyRow => {
      const key = keys.find((each) => each.keyId === keyId);
      return {
        id: keyId,
        name: key?.displayName || keyId || t('overview.unknownKey'),
        ...(key?.lastFour && { lastFour: key.lastFour }),
        requests: BigInt(charges ?? 0),
        cost: readUsd(costUsd),
      };
    })
    .sort((a, b) => ((b.cost ?? 0n) > (a.cost ?? 0n) ? 1 : -1));
  const others = all.slice(most);
  if (others.length === 0) return all;
  const cost = others.reduce<NanoUsd | undefined>(
    (sum, each) => (sum === undefined || each.cost === undefined ? undefined : sum + each.cost),
    0n,
  );
  const requests = others.reduce((sum, each) => sum + each.requests, 0n);
  return [...all.slice(0, most), { id: 'others', name: t('overview.otherKeys'), requests, cost }];
}

/** What was charged last. */
export function LatestCharges({ charges }: { charges: UseQueryResult<ListChargesResponseJson, ApiFailure> }) {
  const columns: Column<ChargeJson>[] = [
    { id: 'time', title: t('overview.time'), cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'what',
      title: t('overview.what'),
      phone: 'title',
      cell: ({ chargeId, operation, model }) => (
        <>
          <Link href={`/charges/${chargeId}`}>{operation}</Link> {model && <span class="muted">{model}</span>}
        </>
      ),
    },
    {
      id: 'cost',
      title: t('overview.cost'),
      align: 'end',
      cell: ({ chargedUsd }) => <Money usd={chargedUsd} />,
    },
  ];
  return (
    <Section title={t('overview.latest')} actions={<Link href="/charges">{t('overview.allCharges')}</Link>}>
      <Async
        query={charges}
        lines={6}
        isEmpty={({ charges: rows }) => (rows?.length ?? 0) === 0}
        empty={<p class="empty">{t('overview.noCharges')}</p>}
      >
        {({ charges: rows = [] }) => (
          <Table
            caption={t('overview.latest')}
            columns={columns}
            rows={rows}
            rowKey={({ chargeId }) => chargeId ?? ''}
          />
        )}
      </Async>
    </Section>
  );
}
