/** An update of many rows, each with values of its own: joined to a list of selects, which both servers plan by key. */
export interface ManyUpdate {
  table: string;
  /** Of the list `u`, in the order of the values. */
  columns: readonly string[];
  on: string;
  set: string;
}
