import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Button } from './button.tsx';

/** Copies a text, and says so. */
export function CopyButton({ text, label = t('common.copy') }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button kind="quiet" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}>
      <span aria-live="polite">{copied ? t('common.copied') : label}</span>
    </Button>
  );
}
