import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { t } from '../../i18n/index.ts';
import { Button, Page } from '../../ui/index.ts';
import { EraseDialog } from './erase.tsx';
import { JourneyPage } from './journey-page.tsx';
import { Journeys } from './journeys.tsx';
import './pulse.css';

/** The account's journeys; with one in the address, its report. */
export default function Pulse() {
  const { journey } = useParams();
  const [isErasing, setIsErasing] = useState(false);
  if (journey !== undefined) return <JourneyPage key={journey} journey={journey} />;
  return (
    <Page
      title={t('pulse.title')}
      lead={t('pulse.lead')}
      actions={<Button onClick={() => setIsErasing(true)}>{t('pulse.erase')}</Button>}
    >
      <Journeys />
      <EraseDialog open={isErasing} onClose={() => setIsErasing(false)} />
    </Page>
  );
}
