import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { t } from '../../i18n/index.ts';
import { Button, Field } from '../../ui/index.ts';

/** Asks for the code that a device shows, and opens the device's request. */
export function CodeForm() {
  const [code, setCode] = useState('');
  const [, navigate] = useLocation();
  return (
    <form
      class="devices-code-form"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(`/devices/activate?user_code=${encodeURIComponent(code.trim())}`);
      }}
    >
      <Field
        label={t('devices.code')}
        help={t('devices.codeHelp')}
        class="devices-code-input"
        value={code}
        onValue={setCode}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
        maxLength={64}
        required
      />
      <Button kind="primary" type="submit">
        {t('devices.look')}
      </Button>
    </form>
  );
}
