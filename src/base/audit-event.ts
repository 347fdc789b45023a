/**
 * One entry in the record of writes: who did what to what, why, and from where. Never contains a secret. It is written in the
 * same transaction as the write itself.
 */
export interface AuditEvent {
  /** `aud_...`. */
  eventId: string;
  /** Who did it: `operator:` and a name, or the id of a key. */
  actor: string;
  /** What was done, such as `account.suspend`; at most 60 bytes. */
  action: string;
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
