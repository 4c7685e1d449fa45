import { markerOf } from "../machine/proc.ts";
import { type IoCounters, mapIo, readIo, readReapedIo, type ScannedProcess } from "./process-scan.ts";

export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
}

/** Everything by which the processes of one launch are found. */
export interface TreeRoots {
  /** In the environment of its processes. */
  readonly marker: string;
  /** Our own processes above the agent: their own use is not the session's, that of children they reaped is. */
  readonly carriers: readonly KnownProcess[];
  /** Known to belong to it, with all below them. */
  readonly members: readonly KnownProcess[];
}

/** The process tree of one launch, as one pass found it. */
export interface TreeReading {
  /** Living processes, without carriers. */
  readonly processes: number;
  readonly rssBytes: number;
  readonly vszBytes: number;
  /** For each process, those that wait to be reaped and carriers included. */
  readonly ticks: ReadonlyMap<string, ProcessTicks>;
  /** Null where the kernel tells of none of them. */
  readonly io: IoCounters | null;
}

export interface ProcessTicks {
  readonly own: number;
  readonly reaped: number;
}

/** Finds the processes of many launches in one scan. Remembers which processes carry no marker: few are asked twice. */
export class ProcessTrees {
  #markers = new Map<number, { readonly startTime: number; readonly marker: string | undefined }>();

  /** In the order of the launches. */
  read(launches: readonly TreeRoots[], scan: ReadonlyMap<number, ScannedProcess>): TreeReading[] {
    const owners = this.#owners(launches, scan);
    const trees = launches.map((): ScannedProcess[] => []);
    for (const [pid, owner] of owners) {
      const scanned = scan.get(pid);
      if (scanned && owner !== NOBODY) trees[owner]?.push(scanned);
    }
    return launches.map(({ carriers }, index) => readTree(trees[index] ?? [], carriers));
  }

  /** The launch of each process: of its nearest ancestor that is known, else of its marker. */
  #owners(launches: readonly TreeRoots[], scan: ReadonlyMap<number, ScannedProcess>): Map<number, number> {
    const owners = new Map<number, number>();
    for (const [index, { carriers, members }] of launches.entries())
      for (const known of [...carriers, ...members]) if (isThere(known, scan)) owners.set(known.pid, index);
    const byMarker = new Map(launches.map(({ marker }, index) => [marker, index]));
    const markers = new Map<number, { readonly startTime: number; readonly marker: string | undefined }>();
    const ownerOf = (pid: number): number => {
      const known = owners.get(pid);
      if (known !== undefined) return known;
      const scanned = scan.get(pid);
      if (!scanned) return NOBODY;
      // A parent that is its own ancestor cannot be: two looks at a process that was replaced in between.
      owners.set(pid, NOBODY);
      const above = ownerOf(scanned.parent);
      const owner = above === NOBODY ? (byMarker.get(this.#marker(scanned, markers) ?? "") ?? NOBODY) : above;
      owners.set(pid, owner);
      return owner;
    };
    for (const pid of scan.keys()) ownerOf(pid);
    this.#markers = markers;
    return owners;
  }

  #marker(
    { pid, startTime }: ScannedProcess,
    seen: Map<number, { readonly startTime: number; readonly marker: string | undefined }>,
  ): string | undefined {
    const before = this.#markers.get(pid);
    const isSame = before?.startTime === startTime;
    const marker = isSame ? before.marker : pid === process.pid ? undefined : markerOf(pid);
    seen.set(pid, { startTime, marker });
    return marker;
  }
}

const NOBODY = -1;

/** Whether a known process is still the one with its pid. */
export function isThere(
  { pid, startTime }: KnownProcess,
  scan: ReadonlyMap<number, ScannedProcess>,
): boolean {
  return scan.get(pid)?.startTime === Number(startTime);
}

function readTree(tree: readonly ScannedProcess[], carriers: readonly KnownProcess[]): TreeReading {
  const isCarrier = ({ pid }: ScannedProcess) => carriers.some((carrier) => carrier.pid === pid);
  const members = tree.filter((scanned) => !isCarrier(scanned));
  const living = members.filter(({ isZombie }) => !isZombie);
  const sum = (of: (scanned: ScannedProcess) => number) =>
    living.reduce((total, scanned) => total + of(scanned), 0);
  const ticks = tree.map((scanned): [string, ProcessTicks] => [
    `${scanned.pid}:${scanned.startTime}`,
    { own: isCarrier(scanned) ? 0 : scanned.ownTicks, reaped: scanned.reapedTicks },
  ]);
  const io = tree.map((scanned) => (isCarrier(scanned) ? readReapedIo(scanned.pid) : readIo(scanned.pid)));
  const known = io.filter((counters) => counters !== null);
  return {
    processes: living.length,
    rssBytes: sum(({ rssBytes }) => rssBytes),
    vszBytes: sum(({ vszBytes }) => vszBytes),
    ticks: new Map(ticks),
    io: known.length === 0 ? null : mapIo((name) => known.reduce((total, one) => total + one[name], 0)),
  };
}
