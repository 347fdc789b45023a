/**
 * What the record of writes keeps of one: who did what to what, why, and from where. Never a secret. It is written in the
 * transaction of the write itself.
 */
export interface AuditEvent {
  /** `aud_...`. */
  eventId: string;
  /** Who: `operator:` and a name, or the id of a key. */
  actor: string;
  /** What was done, such as `account.suspend`; at most 60 bytes. */
  action: string;
  /** The id of what it was done to. Empty: the room that writes knows it. */
  target: string;
  /** The account that it concerns. */
  accountId?: string;
  /** In the words of whoever did it, at most 500 bytes; empty when none were given. */
  reason: string;
  /** What exactly, by name: amounts, references, which fields changed. At most 4,000 bytes as JSON. */
  details: Readonly<Record<string, string>>;
  requestId: string;
  /** The caller's address. */
  address: string;
}
