import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';
import { type ApiFailure, callRpc, type RpcName, type RpcReply, type RpcRequest } from './api.ts';

/** The methods that answer page by page. */
export type PagedName = {
  [Name in RpcName]: 'pageToken' extends keyof RpcRequest<Name>
    ? 'nextPageToken' extends keyof RpcReply<Name>
      ? Name
      : never
    : never;
}[RpcName];

export interface AllRows<Row> {
  rows: Row[];
  /** Whether there are more than were read: a sum of the rows is then not the whole. */
  cut: boolean;
}

interface AllPages<Reply> {
  pages: Reply[];
  cut: boolean;
}

const rowsMost = 5_000;
// A method that answers with 100 rows at most has as many with so many pages.
const pagesMost = 50;

/**
 * Reads every page, one after another, up to 5,000 rows. The replies are kept, and shared by all who ask for the same: `rowsOf`, which is the
 * same function at every render, says which of their rows are wanted.
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

/** What asks for the next page; undefined on the last one. */
export function tokenOf(reply: object): string | undefined {
  const { nextPageToken } = reply as { nextPageToken?: string };
  return nextPageToken === '' ? undefined : nextPageToken;
}
