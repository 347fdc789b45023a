import { Link } from 'wouter-preact';
import { loadTexts, t } from '../i18n/index.ts';
import { Banner } from '../ui/index.ts';

// The first steps of an account speak with the texts of the overview.
await loadTexts('overview');

/** Below what was done of the first steps: the way to the next one. */
export function NextStep() {
  return (
    <Banner
      title={t('overview.next')}
      action={
        <Link class="button" href="/">
          {t('overview.nextGo')}
        </Link>
      }
    >
      {t('overview.nextHelp')}
    </Banner>
  );
}
