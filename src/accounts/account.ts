/** A customer: the owner of keys, wallets and everything that is charged. */
export interface Account {
  id: string;
  /** A name for people. */
  displayName: string;
  /** Milliseconds since the epoch. */
  createTime: number;
}
