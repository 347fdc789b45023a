import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';

interface DialogProps {
  title: string;
  open: boolean;
  /** Called when it was closed, in whatever way; the focus is back where it was. */
  onClose: () => void;
  /** `side`: at the end of the page, for details of a row. */
  kind?: 'middle' | 'side';
  /** Whether Escape and the close button are disabled, until a step is done. */
  locked?: boolean;
  /** The end of the dialog; buttons, the main one last. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The browser's own dialog: modal, Escape closes, the focus stays inside and goes back. */
export function Dialog({ title, open, onClose, kind = 'middle', locked = false, actions, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const opener = useRef<Element | undefined>(undefined);
  // The browser fires `close` some time later. By then the same dialog may be open again, and the event would close it.
  const ownCloses = useRef(0);
  const close = (): void => {
    if (!dialog.current?.open) return;
    ownCloses.current += 1;
    dialog.current.close();
    giveFocusBack(opener.current);
  };
  const leave = (): void => {
    close();
    onClose();
  };
  useEffect(() => {
    if (!open) return close();
    opener.current = openerNow();
    if (!dialog.current?.open) dialog.current?.showModal();
    // The focus starts in the first input, not on the close button.
    if (kind === 'middle') dialog.current?.querySelector<HTMLElement>(firstField)?.focus();
  }, [open]);
  const gone = useRef(false);
  useEffect(
    () => () => {
      // A page may remove the whole dialog while it is open: the focus still goes back.
      gone.current = true;
      close();
    },
    [],
  );
  return (
    <dialog
      ref={dialog}
      class={`dialog dialog-${kind}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!locked) leave();
      }}
      onClose={() => {
        if (gone.current) return;
        if (ownCloses.current > 0) {
          ownCloses.current -= 1;
          return;
        }
        // Chromium closes at the second Escape whatever `cancel` says.
        if (locked && open) dialog.current?.showModal();
        else {
          giveFocusBack(opener.current);
          onClose();
        }
      }}
    >
      {open && (
        <>
          <header class="dialog-head">
            <h2 id={id}>{title}</h2>
            {!locked && (
              <button type="button" class="icon-button" aria-label={t('common.close')} onClick={leave}>
                ×
              </button>
            )}
          </header>
          <div class="dialog-body">{children}</div>
          {actions !== undefined && <footer class="dialog-foot">{actions}</footer>}
        </>
      )}
    </dialog>
  );
}

const firstField = '.dialog-body :is(.input input, textarea)';

/** What opened the latest dialog: one that follows another, such as a secret after its form, returns the focus to the same place. */
let lastOpener: Element | undefined;

function openerNow(): Element | undefined {
  const active = document.activeElement;
  if (active && active !== document.body && active.localName !== 'dialog') lastOpener = active;
  return lastOpener;
}

/** The browser restores the focus, unless its target has been removed. */
function giveFocusBack(opener: Element | undefined): void {
  if (document.activeElement && document.activeElement !== document.body) return;
  const next = opener?.isConnected ? opener : document.querySelector('h1');
  if (next instanceof HTMLElement) next.focus();
}

interface SecretDialogProps {
  title: string;
  /** The secret, in this dialog only; undefined: closed. */
  secret: string | undefined;
  /** What it is for, and where to keep it. */
  children?: ComponentChildren;
  onClose: () => void;
}

/** Shows a secret once. It closes when the reader confirms that it was kept, not before. */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  const [kept, setKept] = useState(false);
  return (
    <Dialog
      title={title}
      open={secret !== undefined}
      locked={!kept}
      onClose={() => {
        setKept(false);
        onClose();
      }}
      actions={
        <Button
          kind="primary"
          disabled={!kept}
          onClick={() => {
            setKept(false);
            onClose();
          }}
        >
          {t('common.done')}
        </Button>
      }
    >
      <p>{t('common.secretOnce')}</p>
      <p class="secret">
        <code>{secret}</code>
        <CopyButton text={secret ?? ''} />
      </p>
      {children}
      <label class="check">
        <input type="checkbox" checked={kept} onChange={(event) => setKept(event.currentTarget.checked)} />
        {t('common.secretKept')}
      </label>
    </Dialog>
  );
}
