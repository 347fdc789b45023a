import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';
import { type ApiFailure, callRpc, type RpcName, type RpcReply, type RpcRequest } from './api.ts';

/** The methods that answer in pages. */
export type PagedName = {
  [Name in RpcName]: 'pageToken' extends keyof RpcRequest<Name>
    ? 'nextPageToken' extends keyof RpcReply<Name>
      ? Name
      : never
    : never;
}[RpcName];

export interface AllRows<Row> {
  rows: Row[];
  /** Whether there are more rows than were read: a sum of the rows is then not the whole. */
  cut: boolean;
}

interface AllPages<Reply> {
  pages: Reply[];
  cut: boolean;
}

const rowsMost = 5_000;
// A method that returns at most 100 rows per page reaches as many with this many pages.
const pagesMost = 50;

/**
 * Reads every page, one after another, up to 5,000 rows. The replies are cached and shared by all readers of the same request: `rowsOf`, which
 * must be the same function at every render, selects their rows.
 */
export function useAllRows<Name extends PagedName, Row>(
  name: Name,
  request: RpcRequest<Name>,
  rowsOf: (reply: RpcReply<Name>) => readonly Row[] | undefined,
  options: { enabled?: boolean } = {},
): UseQueryResult<AllRows<Row>, ApiFailure> {
  const select = useCallback(
    ({ pages, cut }: AllPages<RpcReply<Name>>) => ({ rows: pages.flatMap((page) => rowsOf(page) ?? []), cut }),
    [rowsOf],
  );
  return useQuery<AllPages<RpcReply<Name>>, ApiFailure, AllRows<Row>>({
    queryKey: [name, request, 'all'],
    queryFn: async ({ signal }) => {
      const pages: RpcReply<Name>[] = [];
      let rows = 0;
      let pageToken: string | undefined;
      do {
        const page = { ...request, pageSize: 1_000, ...(pageToken && { pageToken }) };
        const reply = await callRpc(name, page, { signal });
        pages.push(reply);
        rows += rowsOf(reply)?.length ?? 0;
        pageToken = tokenOf(reply);
      } while (pageToken && rows < rowsMost && pages.length < pagesMost);
      return { pages, cut: pageToken !== undefined };
    },
    select,
    ...options,
  });
}

/** The token of the next page; undefined on the last one. */
export function tokenOf(reply: object): string | undefined {
  const { nextPageToken } = reply as { nextPageToken?: string };
  return nextPageToken === '' ? undefined : nextPageToken;
}
