import { t } from '../../i18n/index.ts';
import { Page } from '../../ui/index.ts';

export default function Overview() {
  return <Page title={t('overview.title')}>{null}</Page>;
}
