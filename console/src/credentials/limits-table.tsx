import type { LimitJson } from '../../gen/intelligence/limit/v1/limit_pb';
import { findText, formatNumber, t } from '../i18n/index.ts';
import { useRpc } from '../query.ts';
import { Async, type Column, Table } from '../ui/index.ts';

interface LimitsTableProps {
  /** The key whose limits are listed; the session's when unset. */
  keyId?: string;
  /** Lists only the limits of one level. */
  level?: 'account' | 'key';
}

/** The limits in force, and how much of each is used. */
export function LimitsTable({ keyId, level }: LimitsTableProps) {
  const limits = useRpc('LimitService.GetLimits', keyId === undefined ? {} : { keyId }, { refetchInterval: 10_000 });
  return (
    <Async query={limits} lines={level ? 4 : 8}>
      {({ limits: all = [], shared = false }) => (
        <>
          <Table
            caption={t('keys.limits')}
            columns={columns(level === undefined)}
            rows={level ? all.filter((each) => each.level === level) : all}
            rowKey={({ level: whose, name }) => `${whose} ${name}`}
          />
          <p class="muted small">{shared ? t('keys.limitsShared') : t('keys.limitsNode')}</p>
        </>
      )}
    </Async>
  );
}

function columns(withLevel: boolean): Column<LimitJson>[] {
  const whose: Column<LimitJson> = {
    id: 'level',
    title: t('keys.limitOf'),
    cell: ({ level = '' }) => findText('keys', `level-${level}`) ?? level,
  };
  return [
    {
      id: 'name',
      title: t('keys.limit'),
      phone: 'title',
      cell: ({ name = '' }) => findText('keys', `limit-${name}`) ?? name,
    },
    ...(withLevel ? [whose] : []),
    { id: 'most', title: t('keys.limitMost'), align: 'end', cell: mostText },
    {
      id: 'used',
      title: t('keys.limitUsed'),
      align: 'end',
      cell: ({ used = 0 }) => formatNumber(used),
    },
  ];
}

/** Limits per minute allow a burst; limits on concurrency do not. */
function mostText({ name = '', most = 0, burst = 0 }: LimitJson): string {
  if (name.startsWith('concurrent')) return formatNumber(most);
  return t('keys.limitRate', { most: formatNumber(most), burst: formatNumber(burst) });
}
