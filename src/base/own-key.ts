/** A key of a provider that an account brought, for its own calls. Printed, it has no secret: only `secret` gives it. */
export interface OwnKey {
  /** `pky_...` */
  readonly id: string;
  readonly provider: string;
  readonly lastFour: string;
  /** What the provider is shown. Throws when it does not open any more. */
  secret(): string;
}
