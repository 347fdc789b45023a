import { t } from '../i18n/index.ts';
import type { RowList } from '../row-list.ts';
import { Button } from './button.tsx';

/** The button below a list that reads its next page; nothing on the last one. */
export function More({ list }: { list: RowList<unknown> }) {
  if (!list.more) return null;
  return (
    <p>
      <Button busy={list.loadingMore} onClick={list.more}>
        {t('common.loadMore')}
      </Button>
    </p>
  );
}
