/** A key of a provider that an account brought, for its own calls. Printed, it has no secret: only `secret` gives it. */
export interface OwnKey {
  /** `pky_...` */
  readonly id: string;
  readonly provider: string;
  readonly lastFour: string;
  /** What the provider is shown. Throws when it does not open any more. */
  secret(): string;
}

/**
 * Which calls use keys that the account brought. Unset: those of models whose provider it has a key of. `only`: no other models are
 * chosen. `prefer`: its own keys first, and then the service's. `never`: the service's alone.
 */
export type OwnKeyUse = 'only' | 'prefer' | 'never';

/** The provider keys that accounts brought. */
export interface OwnKeys {
  /** One a provider; none for who has no account. */
  of(accountId: string): readonly OwnKey[] | Promise<readonly OwnKey[]>;
  /** Told of each call with a key. */
  used(key: OwnKey): void;
}
