import { Link } from 'wouter-preact';
import { formatNumber, t } from '../../i18n/index.ts';
import { type Column, Money, Table } from '../../ui/index.ts';
import type { Group, GroupSums, Sums } from './sums.ts';

interface GroupTableProps {
  group: Group;
  groups: readonly GroupSums[];
  /** The rows' total; undefined when they are not all. */
  total: Sums | undefined;
  /** The filters for a row's charges; undefined if charges cannot be listed by it. */
  search: (id: string | undefined) => string | undefined;
  nameOf: (id: string | undefined) => string;
}

type Count = 'charges' | 'input' | 'cached' | 'output';
const counts = [
  ['charges', 'requests'],
  ['input', 'input'],
  ['cached', 'cached'],
  ['output', 'output'],
] as const satisfies readonly (readonly [Count, string])[];

/** The groups with their sums; a name links to its charges. */
export function GroupTable({ group, groups, total, search, nameOf }: GroupTableProps) {
  const columns: Column<GroupSums>[] = [
    {
      id: 'group',
      title: t(`usage.by-${group}`),
      phone: 'title',
      cell: ({ id }) => <Name isKnown={id !== undefined} search={search(id)} name={nameOf(id)} />,
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
  isKnown: boolean;
  search: string | undefined;
  name: string;
}

function Name({ isKnown, search, name }: NameProps) {
  if (!isKnown) return <span class="muted">{name}</span>;
  if (search === undefined) return <>{name}</>;
  return (
    <Link href={`/charges?${search}`} title={t('usage.toCharges', { name })}>
      {name}
    </Link>
  );
}
