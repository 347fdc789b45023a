import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Button } from './button.tsx';

interface CopyButtonProps {
  text: string;
  label?: string;
  /** What the text belongs to, if each row has one. */
  of?: string | undefined;
}

/** Copies a text, and says so. */
export function CopyButton({ text, label = t('common.copy'), of }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <Button
      kind="quiet"
      {...(of !== undefined && { 'aria-label': `${label}: ${of}` })}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <span aria-live="polite">{copied ? t('common.copied') : label}</span>
    </Button>
  );
}
