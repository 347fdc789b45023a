import { Link } from 'wouter-preact';
import { loadTexts, t } from '../i18n/index.ts';
import { Banner } from '../ui/index.ts';

// The first steps of an account use the overview's texts.
await loadTexts('overview');

/** Shown below a completed first step: the way to the next one. */
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
