import type { DescMethod, Message } from '@bufbuild/protobuf';
import { createPrintableChecks, type PrintableCheck } from '@intelligence-api/transcoding/parts';
import type { ServedService, UntypedHandler } from '../api/handlers.ts';
import { FailureError } from '../base/failure.ts';
import { type AccessRule, accessRules } from './access.ts';
import { createViolationFinder } from './violations.ts';

/** What the gate knows of each method: who may call it, which messages it takes, who answers. */
export interface ServedMethods {
  has(method: DescMethod): boolean;
  /** Throws if the method is not served. */
  ruleOf(method: DescMethod): AccessRule;
  /** Throws if the method is not served. */
  handlerOf(method: DescMethod): UntypedHandler;
  /** Throws if the method does not take the message. */
  validate(method: DescMethod, request: Message): void;
}

export function createServedMethods(services: readonly ServedService[]): ServedMethods {
  const handlers = handlersByMethod(services);
  const rules = accessRules(handlers.keys());
  const printables = printableChecks(handlers.keys());
  const violationsOf = createViolationFinder();
  return {
    has: (method) => handlers.has(method),
    ruleOf: (method) => served(rules.get(method)),
    handlerOf: (method) => served(handlers.get(method)),
    validate(method, request) {
      const unprintable = printables.get(method)?.(request);
      const violations = unprintable ? [unprintable] : violationsOf(method.input, request);
      if (violations) throw new FailureError({ kind: 'invalid_argument', violations });
    },
  };
}

function served<T>(known: T | undefined): T {
  if (known === undefined) throw new FailureError({ kind: 'unimplemented' });
  return known;
}

/** By method: whether a binary message can be printed as JSON. If not, no protocol accepts it. */
function printableChecks(methods: Iterable<DescMethod>): Map<DescMethod, PrintableCheck> {
  const checkOf = createPrintableChecks();
  const checks = new Map<DescMethod, PrintableCheck>();
  for (const method of methods) {
    const check = checkOf(method.input);
    if (check) checks.set(method, check);
  }
  return checks;
}

function handlersByMethod(services: readonly ServedService[]): Map<DescMethod, UntypedHandler> {
  const handlers = new Map<DescMethod, UntypedHandler>();
  for (const { service, handlers: named } of services)
    for (const method of service.methods) {
      const handler = named[method.localName];
      if (!handler) throw new Error(`${service.typeName}/${method.name} has no handler`);
      handlers.set(method, handler);
    }
  return handlers;
}
