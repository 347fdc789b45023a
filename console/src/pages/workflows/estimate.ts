import { useEffect, useState } from 'preact/hooks';
import { callRpc, isApiFailure, type RpcRequest } from '../../api.ts';
import type { Payer } from '../../paying/payer.ts';
import type { Target } from './families.ts';

const afterMs = 500;

/** The maximum cost of a request in USD; requested after a pause in typing. Undefined: unknown. */
export function useCeiling(target: Target, payer: Payer, text: string, isJson: boolean): string | undefined {
  const [ceiling, setCeiling] = useState<string>();
  useEffect(() => {
    setCeiling(undefined);
    if (!isJson) return;
    const ended = new AbortController();
    const timer = setTimeout(async () => {
      const found = await ceilingOf(target, payer, JSON.parse(text), ended.signal);
      if (!ended.signal.aborted) setCeiling(found);
    }, afterMs);
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [payer, text]);
  return ceiling;
}

/** Why a request would be refused is reported when it is run. */
async function ceilingOf(
  target: Target,
  payer: Payer,
  body: unknown,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = 'family' in target ? { [target.family]: body } : { custom: { ...target, input: body } };
  try {
    const options = { headers: await payer.headers(), signal };
    const estimate = request as RpcRequest<'WorkflowService.EstimateWorkflow'>;
    return (await callRpc('WorkflowService.EstimateWorkflow', estimate, options)).ceilingUsd;
  } catch (thrown) {
    if (!isApiFailure(thrown) && !signal.aborted) throw thrown;
    return undefined;
  }
}
