/** What an event can record, as `GET /v1/audit-events` filters by it. */
export const auditActions = [
  ...(['account.create', 'account.update', 'account.suspend', 'account.resume'] as const),
  ...(['account.credit', 'account.adjust', 'ledger.audit'] as const),
  ...(['key.create', 'key.update', 'key.rotate', 'key.revoke'] as const),
  ...(['provider_key.create', 'provider_key.delete', 'client.create', 'client.disable'] as const),
  ...(['device.approve', 'device.deny', 'device.revoke', 'token.revoke'] as const),
  ...(['webhook_endpoint.create', 'webhook_endpoint.delete', 'webhook_endpoint.rotate_secret'] as const),
  ...(['webhook_delivery.retry', 'workflow.create', 'workflow.retire', 'workflow.delete'] as const),
  ...(['risk_pack.create', 'risk_pack.update', 'risk_pack.delete', 'draft.approve', 'draft.reject'] as const),
  ...(['passkey.create', 'passkey.delete'] as const),
] as const;

export type AuditAction = (typeof auditActions)[number];

export function isAuditAction(text: string): text is AuditAction {
  return (auditActions as readonly string[]).includes(text);
}

/**
 * One entry in the record of writes: who did what to what, why, and from where. Never contains a secret. It is written in the
 * same transaction as the write itself.
 */
export interface AuditEvent {
  /** `aud_...`. */
  eventId: string;
  /** Who did it: `operator:` and a name, or the id of a key. */
  actor: string;
  /** What was done; at most 60 bytes. */
  action: AuditAction;
  /** The id of the target. Empty: the room that does the write knows it. */
  target: string;
  /** The account concerned. */
  accountId?: string;
  /** In the actor's own words, at most 500 bytes; empty if none were given. */
  reason: string;
  /** The specifics, by name: amounts, references, which fields changed. At most 4,000 bytes as JSON. */
  details: Readonly<Record<string, string>>;
  requestId: string;
  /** The caller's address. */
  address: string;
}
