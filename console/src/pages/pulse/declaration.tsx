import { useState } from 'preact/hooks';
import type { JourneyDeclarationJson } from '../../../gen/intelligence/pulse/v1/segment_pb';
import { t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Button, Dialog, Field, Section, TextArea, toast } from '../../ui/index.ts';
import { linesOf } from './properties.tsx';
import { RequestForm } from './request-form.tsx';
import { secondsText } from './words.tsx';

/** The expected order of the journey's steps, and the time allowed. */
export function Declaration({ journey }: { journey: string }) {
  const query = useRpc('PulseService.GetJourneyDeclaration', { journey });
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section
      title={t('pulse.declaration')}
      actions={query.data && <Button onClick={() => setIsOpen(true)}>{t('pulse.declare')}</Button>}
    >
      <p class="muted">{t('pulse.declarationHelp')}</p>
      <Async query={query} lines={2}>
        {(declaration) => (
          <>
            <Declared declaration={declaration} />
            <Dialog title={t('pulse.declare')} open={isOpen} onClose={() => setIsOpen(false)}>
              <Form journey={journey} declaration={declaration} onClose={() => setIsOpen(false)} />
            </Dialog>
          </>
        )}
      </Async>
    </Section>
  );
}

function Declared({ declaration }: { declaration: JourneyDeclarationJson }) {
  const { steps = [], conversionWindowSeconds: window = 0, sessionTimeoutSeconds: timeout } = declaration;
  if (steps.length === 0) return <p>{t('pulse.notDeclared')}</p>;
  return (
    <ol class="pulse-steps">
      {steps.map(({ step, optional }) => (
        <li key={step}>
          {step} {optional && <span class="muted small">{t('pulse.optional')}</span>}
        </li>
      ))}
      {window > 0 && <li class="muted">{t('pulse.declaredWindow', { window: secondsText(window) })}</li>}
      {timeout !== undefined && <li class="muted">{t('pulse.declaredTimeout', { timeout: secondsText(timeout) })}</li>}
    </ol>
  );
}

interface FormProps {
  journey: string;
  declaration: JourneyDeclarationJson;
  onClose: () => void;
}

function Form({ journey, declaration, onClose }: FormProps) {
  const [text, setText] = useState(
    (declaration.steps ?? []).map(({ step, optional }) => `${step}${optional ? ' ?' : ''}`).join('\n'),
  );
  const [window, setWindow] = useState(String(declaration.conversionWindowSeconds ?? 0));
  const [timeout, setTimeout] = useState(String(declaration.sessionTimeoutSeconds || 1_800));
  const declare = useRpcMutation('PulseService.DeclareJourney', {
    onSuccess: () => {
      toast(t('pulse.saved'));
      onClose();
    },
  });
  const request = {
    journey,
    steps: linesOf(text).map((line) => ({ step: line.replace(/\s*\?$/, ''), optional: line.endsWith('?') })),
    conversionWindowSeconds: Number(window),
    sessionTimeoutSeconds: Number(timeout),
  };
  return (
    <RequestForm
      name="PulseService.DeclareJourney"
      request={request}
      change={declare}
      saveText={t('pulse.save')}
      onCancel={onClose}
    >
      <TextArea label={t('pulse.steps')} help={t('pulse.stepsHelp')} value={text} onValue={setText} rows={6} />
      <div class="halves">
        <Field
          label={t('pulse.window')}
          help={t('pulse.windowSecondsHelp')}
          type="number"
          min={0}
          max={2_592_000}
          value={window}
          onValue={setWindow}
          required
        />
        <Field
          label={t('pulse.timeout')}
          help={t('pulse.timeoutHelp')}
          type="number"
          min={60}
          max={86_400}
          value={timeout}
          onValue={setTimeout}
          required
        />
      </div>
    </RequestForm>
  );
}
