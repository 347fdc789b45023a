import { Link } from 'wouter-preact';
import { loadTexts, t } from '../i18n/index.ts';
import { Banner, Code } from '../ui/index.ts';
import { firstCallText } from './first-call.ts';

// The first steps of an account use the overview's texts.
await loadTexts('overview');

/** What an empty list of usage shows: the next step, with a request to paste. */
export function FirstRequest({ title, help }: { title: string; help?: string }) {
  return (
    <>
      <Banner
        title={title}
        action={
          <Link class="button primary" href="/playground">
            {t('overview.stepGo')}
          </Link>
        }
      >
        {help}
      </Banner>
      <p class="muted">{t('overview.stepRequestText')}</p>
      <Code text={firstCallText()} />
    </>
  );
}
