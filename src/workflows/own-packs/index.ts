import { create, fromJson, type JsonValue, toJson } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Clock } from '../../base/clock.ts';
import { fail, type Result, succeed } from '../../base/failure.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../../base/page.ts';
import { createPace } from '../../base/turn.ts';
import type { CredentialChanges } from '../../db/credential-changes.ts';
import type { Database, Transactional } from '../../db/index.ts';
import {
  type OwnPackEntry,
  type OwnRiskPack,
  OwnRiskPackSchema,
} from '../../gen/intelligence/workflow/v1/own_pack_pb.ts';
import type { Plain } from '../family.ts';
import { phraseCharactersOf, problemsOf } from './check-pack.ts';
import { createCompiled } from './compiled.ts';
import { createOwnPacksStore, type PackRow } from './own-packs-store.ts';
import { overQuota, type PackQuotas, packQuotasDefault } from './quotas.ts';
import { type AccountPacks, compilePacks } from './rules.ts';

/** Accounts' own risk packs: what counts as a finding for them, and what does not. */
export interface OwnPacks {
  /**
   * Creates a pack. Fails with `invalid_argument` naming each phrase that cannot be found, with `already_exists`, and with
   * `precondition_failed` if the account's quota is used up. `within`: the enclosing transaction; absent: it runs in its own.
   */
  create(accountId: string, pack: Plain<OwnRiskPack>, within?: Transactional): Promise<Result<OwnRiskPack>>;
  find(accountId: string, packId: string): Promise<Result<OwnRiskPack>>;
  /** Ordered by id. */
  list(accountId: string, page: PageRequest): Promise<Result<Page<OwnRiskPack>>>;
  /**
   * Replaces a pack as a whole; an update without changes creates no version. Also fails with `not_found`, and with
   * `precondition_failed` if `version` is given and is not the newest.
   */
  update(
    accountId: string,
    pack: Plain<OwnRiskPack>,
    version: number | undefined,
    within?: Transactional,
  ): Promise<Result<OwnRiskPack>>;
  remove(accountId: string, packId: string, within?: Transactional): Promise<Result<void>>;
  /**
   * An account's packs, compiled: cached until something changes, and never more than a second out of date. Rejects if they
   * cannot be read or compiled: what they should find must not be missed.
   */
  of(accountId: string): AccountPacks | Promise<AccountPacks>;
  close(): void;
}

const listName = 'risk-packs';
/** For packs read together: a few milliseconds of processor time. */
const bytesOfATurn = 50_000;

export function createOwnPacks(deps: {
  db: Database;
  clock: Clock;
  changes: CredentialChanges;
  quotas?: Partial<PackQuotas>;
  /** The approximate total for all accounts' compiled packs. */
  keptBytesMax?: number;
}): OwnPacks {
  const { db, clock, changes } = deps;
  const quotas = { ...packQuotasDefault, ...deps.quotas };
  const store = createOwnPacksStore(deps);
  const compiled = createCompiled({
    changes,
    bytesMax: deps.keptBytesMax,
    read: async (accountId) => {
      const rows = await store.list({ accountId, limit: quotas.packs + 1 });
      const pace = createPace(bytesOfATurn);
      const packs: OwnRiskPack[] = [];
      for (const row of rows) {
        await pace(row.bytes);
        packs.push(messageOf(row));
      }
      return compilePacks(packs);
    },
  });

  return {
    async create(accountId, pack, within = db) {
      const written = await writtenOf(pack, quotas);
      if (!written.ok) return written;
      return within.transaction(async (tx): Promise<Result<OwnRiskPack>> => {
        const has = await store.lock(tx, accountId);
        if (await store.find(accountId, pack.packId, tx))
          return fail({ kind: 'already_exists', resource: `risk pack ${pack.packId}` });
        const { content, bytes, phraseCharacters } = written.value;
        const full = overQuota(quotas, {
          packs: has.packs + 1,
          bytes: has.bytes + bytes,
          phraseCharacters: has.phraseCharacters + phraseCharacters,
        });
        if (full !== undefined) return fail({ kind: 'precondition_failed', description: full });
        const now = clock.now();
        const row: PackRow = {
          ...{ packId: pack.packId, version: 1, content, bytes, phraseCharacters },
          ...{ createdMs: now, updatedMs: now },
        };
        await store.insert(tx, accountId, row);
        return succeed(messageOf(row));
      });
    },

    async find(accountId, packId) {
      const row = await store.find(accountId, packId);
      return row ? succeed(messageOf(row)) : notFound(packId);
    },

    async list(accountId, request) {
      const start = readPageRequest(listName, request);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await store.list({ accountId, after, limit: size + 1 });
      const page = makePage(listName, start.value, rows, ({ packId }) => packId, { bytesOf: ({ bytes }) => bytes });
      return succeed({ ...page, items: page.items.map(messageOf) });
    },

    async update(accountId, pack, version, within = db) {
      const written = await writtenOf(pack, quotas);
      if (!written.ok) return written;
      return within.transaction(async (tx): Promise<Result<OwnRiskPack>> => {
        const has = await store.lock(tx, accountId);
        const known = await store.find(accountId, pack.packId, tx);
        if (!known) return notFound(pack.packId);
        const { content, bytes, phraseCharacters } = written.value;
        // Retrying a completed request succeeds.
        if (known.content === content) return succeed(messageOf(known));
        if (version !== undefined && version !== known.version)
          return fail({ kind: 'precondition_failed', description: changedMeanwhile(known, version) });
        const full = overQuota(quotas, {
          packs: has.packs,
          bytes: has.bytes - known.bytes + bytes,
          phraseCharacters: has.phraseCharacters - known.phraseCharacters + phraseCharacters,
        });
        if (full !== undefined) return fail({ kind: 'precondition_failed', description: full });
        const row = {
          ...{ ...known, version: known.version + 1, updatedMs: clock.now() },
          ...{ content, bytes, phraseCharacters },
        };
        await store.replace(tx, accountId, row);
        return succeed(messageOf(row));
      });
    },

    async remove(accountId, packId, within = db) {
      return within.transaction(async (tx): Promise<Result<void>> => {
        await store.lock(tx, accountId);
        return (await store.remove(tx, accountId, packId)) ? succeed(undefined) : notFound(packId);
      });
    },

    of: compiled.of,
    close: compiled.close,
  };
}

async function writtenOf(
  pack: Plain<OwnRiskPack>,
  quotas: PackQuotas,
): Promise<Result<Pick<PackRow, 'content' | 'bytes' | 'phraseCharacters'>>> {
  const phraseCharacters = phraseCharactersOf(pack);
  // Checked before its phrases are, because that takes time.
  const tooLarge = overQuota(quotas, { packs: 0, bytes: 0, phraseCharacters });
  if (tooLarge !== undefined) return fail({ kind: 'precondition_failed', description: tooLarge });
  const violations = await problemsOf(pack);
  if (violations.length > 0) return fail({ kind: 'invalid_argument', violations });
  const message = create(OwnRiskPackSchema, {
    ...(pack as OwnRiskPack),
    entries: (pack.entries as OwnPackEntry[]).map((entry) => ({ ...entry, severity: entry.severity || 'medium' })),
    enabled: pack.enabled ?? true,
    ...{ version: 0, createTime: undefined, updateTime: undefined, sizeBytes: 0 },
  });
  const content = JSON.stringify(toJson(OwnRiskPackSchema, message));
  return succeed({ content, bytes: Buffer.byteLength(content), phraseCharacters });
}

function messageOf({ content, version, bytes, createdMs, updatedMs }: PackRow): OwnRiskPack {
  const pack = fromJson(OwnRiskPackSchema, JSON.parse(content) as JsonValue);
  return Object.assign(pack, {
    ...{ version, sizeBytes: bytes },
    ...{ createTime: timestampFromMs(createdMs), updateTime: timestampFromMs(updatedMs) },
  });
}

function changedMeanwhile({ version }: PackRow, expected: number): string {
  return `The pack is at version ${version}, not ${expected}: somebody changed it. Read it again, and change that version.`;
}

function notFound(packId: string): ReturnType<typeof fail> {
  return fail({ kind: 'not_found', resource: `risk pack ${packId}` });
}
