import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import type { Caller, CredentialKind } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { access, Credential } from '../gen/intelligence/common/v1/access_pb.ts';

/** Who may call one method, from its `intelligence.common.v1.access` option. */
export interface AccessRule {
  credentials: ReadonlySet<CredentialKind>;
  /** The scope that an API key or access token needs; empty if none. */
  scope: string;
  /** Whether the method can be called without a credential. */
  anonymous: boolean;
}

const kinds: Record<Credential, CredentialKind | undefined> = {
  [Credential.UNSPECIFIED]: undefined,
  [Credential.NONE]: 'none',
  [Credential.OPERATOR]: 'operator',
  [Credential.MANAGEMENT_KEY]: 'management_key',
  [Credential.API_KEY]: 'api_key',
  [Credential.ACCESS_TOKEN]: 'access_token',
};

/** The access rules of all served methods. Throws for a method that declares none, so that no method is open by mistake. */
export function accessRules(methods: Iterable<DescMethod>): Map<DescMethod, AccessRule> {
  return new Map([...methods].map((method) => [method, accessRule(method)]));
}

function accessRule(method: DescMethod): AccessRule {
  const name = `${method.parent.typeName}/${method.name}`;
  if (!hasOption(method, access))
    throw new Error(`${name} must say who may call it: option (intelligence.common.v1.access)`);
  const { credentials, scope } = getOption(method, access);
  const allowed = new Set(
    credentials.map((credential): CredentialKind => {
      const kind = kinds[credential];
      if (!kind) throw new Error(`${name} names an unspecified credential`);
      return kind;
    }),
  );
  if (allowed.size === 0) throw new Error(`${name} names no credential`);
  return { credentials: allowed, scope, anonymous: allowed.has('none') };
}

/** Whether the caller's credential kind and scopes allow the method. */
export function mayCall(caller: Caller, rule: AccessRule): Result<void> {
  const { credential, scopes } = caller;
  if (!rule.anonymous && !rule.credentials.has(credential))
    return fail({ kind: 'scope_missing', scope: rule.scope, credential, needed: [...rule.credentials] });
  const scoped = credential === 'api_key' || credential === 'access_token';
  if (scoped && rule.scope !== '' && !scopes.has(rule.scope))
    return fail({ kind: 'scope_missing', scope: rule.scope, credential });
  return allowed;
}

const allowed = succeed(undefined);
