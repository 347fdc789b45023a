import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/preact-query';
import { type ApiFailure, callRpc, type RpcName, type RpcReply, type RpcRequest } from './api.ts';

/** The methods that answer page by page. */
type PagedName = {
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

/** Reads every page, one after another, up to 5,000 rows. */
export function useAllRows<Name extends PagedName, Row>(
  name: Name,
  request: RpcRequest<Name>,
  rowsOf: (reply: RpcReply<Name>) => readonly Row[] | undefined,
): UseQueryResult<AllRows<Row>, ApiFailure> {
  return useQuery<AllRows<Row>, ApiFailure>({
    queryKey: [name, request, 'all'],
    queryFn: async ({ signal }) => {
      const rows: Row[] = [];
      let pageToken: string | undefined;
      do {
        const page = { ...request, pageSize: 1_000, ...(pageToken && { pageToken }) };
        const reply = await callRpc(name, page, { signal });
        rows.push(...(rowsOf(reply) ?? []));
        pageToken = tokenOf(reply);
      } while (pageToken && rows.length < 5_000);
      return { rows, cut: pageToken !== undefined };
    },
  });
}

export interface RowList<Row> {
  /** For `Async`: the rows of the pages that were read. */
  query: UseQueryResult<readonly Row[], ApiFailure>;
  /** Reads the next page; undefined on the last one. */
  more: (() => void) | undefined;
  loadingMore: boolean;
}

/** Reads a page at first, and the next one when it is asked for. */
export function useRowList<Name extends PagedName, Row>(
  name: Name,
  request: RpcRequest<Name>,
  rowsOf: (reply: RpcReply<Name>) => readonly Row[] | undefined,
): RowList<Row> {
  const query = useInfiniteQuery<RpcReply<Name>, ApiFailure, readonly Row[], readonly unknown[], string | undefined>({
    queryKey: [name, request, 'list'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      callRpc(name, { ...request, ...(pageParam && { pageToken: pageParam }) }, { signal }),
    getNextPageParam: tokenOf,
    select: ({ pages }) => pages.flatMap((page) => rowsOf(page) ?? []),
  });
  return {
    query: query as unknown as UseQueryResult<readonly Row[], ApiFailure>,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    loadingMore: query.isFetchingNextPage,
  };
}

function tokenOf(reply: object): string | undefined {
  const { nextPageToken } = reply as { nextPageToken?: string };
  return nextPageToken === '' ? undefined : nextPageToken;
}
