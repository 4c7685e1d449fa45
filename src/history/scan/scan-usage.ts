import type { Memory } from "../../agents/parsed.ts";
import type { PriceRequest } from "../../domain/usage.ts";
import { type Begun, beginSource, type Placed, placed } from "../begun.ts";
import { Bases } from "../lineage/base-memory.ts";
import { familiesOf } from "../lineage/families.ts";
import { lineageOf } from "../lineage/lineage-of.ts";
import type { ImportOptions } from "../report.ts";
import { findSources } from "../sources.ts";
import { type Owner, ScanLedger, type ScannedModel, type ScannedSession } from "./scan-ledger.ts";
import { wantedRecords } from "./wanted-records.ts";

/** The result of a scan of histories. Nothing of it is stored. */
export interface ScanReport {
  readonly files: number;
  /** Bytes of files; a database does not say how much of it one history is. */
  readonly bytes: number;
  /** The largest first. */
  readonly models: readonly ScannedModel[];
  readonly sessions: readonly ScannedSession[];
  /** Files that could not be read, with the reason. */
  readonly failed: readonly { readonly path: string; readonly why: string }[];
  readonly ms: number;
}

type ScanOptions = Pick<ImportOptions, "from" | "path">;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Counts the usage in the histories of agents, as an import of all of them would, and reads nothing else: lines that
 * say nothing of usage are not parsed.
 */
export async function scanUsage(
  env: Environment,
  price: PriceRequest,
  options: ScanOptions = {},
): Promise<ScanReport> {
  return new Scan(env, options).run(price);
}

class Scan {
  readonly #env: Environment;
  readonly #options: ScanOptions;
  readonly #ledger = new ScanLedger();
  readonly #owners = new Map<string, Owner>();
  /** Sessions whose histories hold a request that another one was counted for. */
  readonly #relatives = new Map<Owner, Set<Owner>>();
  #bases = new Bases([]);
  readonly #failed: { path: string; why: string }[] = [];

  constructor(env: Environment, options: ScanOptions) {
    this.#env = env;
    this.#options = options;
  }

  async run(price: PriceRequest): Promise<ScanReport> {
    const beganMs = performance.now();
    const sources = findSources(this.#env, this.#options);
    this.#bases = new Bases(sources);
    const begun: Begun[] = [];
    for (const source of sources)
      await this.#attempt(source.path, async () => {
        const one = await beginSource(source, { isNoteRead: true });
        if (one) begun.push({ ...one, isDue: true });
      });
    await this.#readFamilies(familiesOf(begun));
    await this.#readAgain(begun);
    const { models, sessions } = this.#ledger.sums(price);
    return {
      files: sources.length,
      bytes: sources.reduce((sum, { history, sizeBytes }) => sum + (history.database ? 0 : sizeBytes), 0),
      models: models.sort(
        (a, b) => b.ledger.nanoUsd - a.ledger.nanoUsd || b.ledger.requests - a.ledger.requests,
      ),
      sessions,
      failed: this.#failed,
      ms: Math.round(performance.now() - beganMs),
    };
  }

  async #readFamilies(families: readonly (readonly Begun[])[]): Promise<void> {
    for (const family of families) {
      const { order, lineages } = await lineageOf(family);
      for (const one of order) await this.#read(placed(one, lineages.get(one.source.source)));
    }
  }

  /** A copy may begin in the middle of its origin, which only shows when both are read: then they are a family too. */
  async #readAgain(begun: readonly Begun[]): Promise<void> {
    if (this.#relatives.size === 0) return;
    const byOwner = Map.groupBy(begun, (one) => this.#ownerOf(one));
    const related = begun.map((one) => {
      const others = [...(this.#relatives.get(this.#ownerOf(one)) ?? [])];
      const roots = others.flatMap((other) => byOwner.get(other) ?? []).flatMap(({ head }) => head.roots);
      return { ...one, head: { ...one.head, roots: [...one.head.roots, ...roots] } };
    });
    const isRelated = (one: Begun) => this.#relatives.has(this.#ownerOf(one));
    const families = familiesOf(related).filter((family) => family.some(isRelated));
    this.#ledger.forget(new Set(families.flat().map((one) => this.#ownerOf(one))));
    await this.#readFamilies(families);
  }

  async #read(one: Placed): Promise<void> {
    await this.#attempt(one.source.path, async () => this.#count(one));
  }

  async #count({ source, nativeId, parent, copiedTo, facts }: Placed): Promise<void> {
    const { history } = source;
    const owner = this.#ownerOf({ source, nativeId });
    const parse = parent === null ? history.usage.parse : history.usage.parseSubagent;
    let { memory } = await this.#bases.read(source, facts.base);
    let isCopy = copiedTo > 0;
    for await (const records of wantedRecords(source))
      for (const { record, offset } of records) {
        if (isCopy && offset > copiedTo) {
          isCopy = false;
          memory = { ...memory, ...history.afterCopies } as Memory;
        }
        const { usage = [], memory: more } = record ? parse(record, memory) : {};
        if (more !== undefined) memory = { ...memory, ...more } as Memory;
        if (!isCopy) for (const request of usage) this.#relate(owner, this.#ledger.add(owner, request));
      }
  }

  #relate(owner: Owner, other: Owner | undefined): void {
    if (other === undefined) return;
    const known = this.#relatives.get(owner) ?? new Set();
    this.#relatives.set(owner, known.add(other));
  }

  /** Several files may hold one session. */
  #ownerOf({ source, nativeId }: Pick<Begun, "source" | "nativeId">): Owner {
    const agentType = source.agent.type;
    const key = `${agentType} ${nativeId}`;
    const known = this.#owners.get(key) ?? { agentType, nativeId };
    this.#owners.set(key, known);
    return known;
  }

  /** A history that cannot be read stops no other. */
  async #attempt(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed.push({ path, why: error instanceof Error ? error.message : String(error) });
    }
  }
}
