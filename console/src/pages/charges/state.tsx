import { findText } from '../../i18n/index.ts';
import { Badge } from '../../ui/index.ts';

const kinds: Record<string, 'info' | 'good' | 'warning' | 'plain'> = {
  held: 'info',
  settled: 'good',
  expired: 'warning',
};

export function StateBadge({ state = '' }: { state: string | undefined }) {
  return <Badge kind={kinds[state] ?? 'plain'}>{findText('charges', state) ?? state}</Badge>;
}
