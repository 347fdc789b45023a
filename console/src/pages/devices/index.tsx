import { useLocation, useSearchParams } from 'wouter-preact';
import { t } from '../../i18n/index.ts';
import { Page } from '../../ui/index.ts';
import { Activation } from './activation.tsx';
import { Clients } from './clients.tsx';
import { CodeForm } from './code-form.tsx';
import { DeviceList } from './device-list.tsx';
import './devices.css';

/** Client applications and their devices; with a `user_code` in the address, or at `/activate`, what one device asks for. */
export default function Devices() {
  const [path] = useLocation();
  const [params] = useSearchParams();
  const userCode = params.get('user_code')?.slice(0, 64) ?? '';
  if (path.endsWith('/activate') || userCode !== '') return <Activation key={userCode} userCode={userCode} />;
  return (
    <Page title={t('devices.title')} lead={t('devices.lead')}>
      <section class="card">
        <h2>{t('devices.activateTitle')}</h2>
        <CodeForm />
      </section>
      <DeviceList />
      <Clients />
    </Page>
  );
}
