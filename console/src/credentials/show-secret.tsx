import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SecretDialog } from '../ui/dialog.tsx';

interface ShownSecret {
  title: string;
  secret: string;
  /** What it is for, and where to keep it. */
  help: ComponentChildren;
}

let show: (shown: ShownSecret) => void = () => {};

/** Shows a secret once. It exists only in that dialog, and is gone with it. */
export function showSecret(shown: ShownSecret): void {
  show(shown);
}

/**
 * Where secrets appear: once, beside all pages. A dialog here stays until the user has kept the secret, even when the page becomes the sign-in,
 * as it does when the session's key was rotated.
 */
export function ShownSecrets() {
  const [shown, setShown] = useState<ShownSecret>();
  useEffect(() => {
    show = setShown;
    return () => {
      show = () => {};
    };
  }, []);
  return (
    <SecretDialog title={shown?.title ?? ''} secret={shown?.secret} onClose={() => setShown(undefined)}>
      {shown?.help}
    </SecretDialog>
  );
}
