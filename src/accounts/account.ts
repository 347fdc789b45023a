/** A customer: the owner of keys, wallets and everything that is charged. Times are milliseconds since the epoch. */
export interface Account {
  id: string;
  /** A human-readable name. */
  displayName: string;
  createTime: number;
  /** When an operator suspended it; absent while it is active. */
  suspendTime?: number;
}
