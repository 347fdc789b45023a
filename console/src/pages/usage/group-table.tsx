import { Link } from 'wouter-preact';
import { formatNumber, t } from '../../i18n/index.ts';
import { type Column, Money, Table } from '../../ui/index.ts';
import type { Group, GroupSums, Sums } from './sums.ts';

interface GroupTableProps {
  group: Group;
  groups: readonly GroupSums[];
  /** Of the rows; undefined when they are not all. */
  total: Sums | undefined;
  days: number;
  nameOf: (id: string | undefined) => string;
}

type Count = 'charges' | 'input' | 'cached' | 'output';
const counts = [
  ['charges', 'requests'],
  ['input', 'input'],
  ['cached', 'cached'],
  ['output', 'output'],
] as const satisfies readonly (readonly [Count, string])[];

/** The groups with their sums; a name leads to its charges. */
export function GroupTable({ group, groups, total, days, nameOf }: GroupTableProps) {
  const columns: Column<GroupSums>[] = [
    {
      id: 'group',
      title: t(`usage.by-${group}`),
      phone: 'title',
      cell: ({ id }) => <Name id={id} group={group} days={days} name={nameOf(id)} />,
      total: total && t('common.total'),
    },
    ...counts.map(
      ([name, title]): Column<GroupSums> => ({
        id: name,
        title: t(`usage.${title}`),
        align: 'end',
        cell: (row) => formatNumber(row[name]),
        total: total && formatNumber(total[name]),
      }),
    ),
    {
      id: 'cost',
      title: t('usage.cost'),
      align: 'end',
      cell: ({ cost }) => <Money usd={cost} />,
      total: total && <Money usd={total.cost} />,
    },
  ];
  return <Table caption={t(`usage.by-${group}`)} columns={columns} rows={groups} rowKey={({ id }) => id ?? ''} />;
}

interface NameProps {
  id: string | undefined;
  group: Group;
  days: number;
  name: string;
}

/** There is no list of charges by provider, nor by what a label says where its name is not known here. */
function Name({ id, group, days, name }: NameProps) {
  if (id === undefined) return <span class="muted">{name}</span>;
  if (group === 'provider' || group === 'label') return <>{name}</>;
  const period = days === 1 ? 1 : days <= 7 ? 7 : days <= 30 ? 30 : 90;
  const query = new URLSearchParams({ [group]: id, days: String(period) });
  return (
    <Link href={`/charges?${query.toString()}`} title={t('usage.toCharges', { name })}>
      {name}
    </Link>
  );
}
