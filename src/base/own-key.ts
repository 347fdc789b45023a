/** A provider key that an account brought for its own calls. Printing it reveals no secret: only `secret` returns that. */
export interface OwnKey {
  /** `pky_...` */
  readonly id: string;
  readonly provider: string;
  readonly lastFour: string;
  /** The key to present to the provider. Throws if it can no longer be decrypted. */
  secret(): string;
}

/**
 * Which calls use keys that the account brought. Unset: those to models of providers it has a key for. `only`: no other models
 * are chosen. `prefer`: its own keys first, then the service's. `never`: only the service's.
 */
export type OwnKeyUse = 'only' | 'prefer' | 'never';

/** The provider keys that accounts have brought. */
export interface OwnKeys {
  /** One per provider; none for a caller without an account. */
  of(accountId: string): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** Called for each call with a key. */
  used(key: OwnKey): void;
}
