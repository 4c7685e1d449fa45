import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { RollcallError } from "../../domain/errors.ts";
import { translate } from "./failure.ts";
import { migrate } from "./migrate.ts";
import { nativeBinding } from "./native-binding.ts";

export interface ConnectionOptions {
  readonly path: string;
  /** How long to wait for another writer before saying that the store is locked. */
  readonly busyTimeoutMs?: number;
  /** Waits so long without blocking the process; see `CommitQueueOptions`. */
  readonly lockPatienceMs?: number;
  /** The type of a file system as statfs(2) tells it. */
  readonly filesystemType?: (folder: string) => number;
}

/** SQLite's locks are not to be trusted on these: two machines would write over each other. */
const NETWORK_FILESYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x5346414f, "AFS"],
  [0x73757245, "Coda"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/** Another writer needs a few milliseconds for a commit. */
const SHORT_WAIT_MS = 20;

/** Opens the database, makes it where there is none, and brings its schema up to date. */
export function connect(options: ConnectionOptions): Database.Database {
  const { path } = options;
  try {
    prepareFile(options);
    const db = new Database(path, {
      timeout: options.busyTimeoutMs ?? 10_000,
      nativeBinding: nativeBinding(),
    });
    try {
      configure(db, options.busyTimeoutMs ?? 10_000);
      migrate(db, path);
      if (options.lockPatienceMs !== undefined) db.pragma(`busy_timeout = ${SHORT_WAIT_MS}`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw translate(error, path);
  }
}

/** A second, read-only connection: for long reads beside the one that writes. */
export function connectReadOnly(path: string): Database.Database {
  try {
    return new Database(path, { readonly: true, fileMustExist: true, nativeBinding: nativeBinding() });
  } catch (error) {
    throw translate(error, path);
  }
}

function prepareFile(options: ConnectionOptions): void {
  const { path } = options;
  prepareFolder(options);
  const found = statSync(path, { throwIfNoEntry: false });
  if (isLost(path, found?.size)) throw lost(path);
  // Made by us and not by SQLite, so that nobody else can ever read it: its journal takes over these permissions.
  if (!found) closeSync(openSync(path, "a", 0o600));
  else if (found.isFile()) tighten(path);
}

/** Makes the folder of a database where there is none; refuses one where a database is not safe. */
export function prepareFolder({
  path,
  filesystemType = (folder) => statfsSync(folder).type,
}: ConnectionOptions): void {
  const folder = dirname(path);
  makeFolder(folder);
  checkOwner(folder);
  const network = NETWORK_FILESYSTEMS.get(filesystemType(folder) >>> 0);
  if (network !== undefined) {
    throw new RollcallError(
      "store_network_filesystem",
      `${folder} is on a network file system (${network}), where a database is not safe.`,
      {
        hint: "Choose a local folder with ROLLCALL_HOME.",
      },
    );
  }
}

/** The bell is made by the first commit. The engine would take an empty file for a new one and delete its journal. */
function isLost(path: string, size: number | undefined): boolean {
  if (size === undefined) return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  return size === 0 && existsSync(`${path}.bell`);
}

function lost(path: string): RollcallError {
  return new RollcallError("store_corrupt", `${path} is empty or gone, although records were kept in it.`, {
    hint: "Go back to a backup with `rollcall restore FILE`, or move what is left of it away to begin anew.",
    facts: { path },
  });
}

/** One by one: Node's own way of making a whole path never returns for some that cannot be, such as below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A file that others could read is closed to them; the folder is the user's own affair (`doctor` looks at it). */
function tighten(path: string): void {
  checkOwner(path);
  const { mode } = statSync(path);
  if ((mode & 0o077) !== 0) chmodSync(path, mode & 0o700);
}

function checkOwner(path: string): void {
  const uid = process.getuid?.();
  const stat = statSync(path);
  if (uid !== undefined && stat.uid !== uid) {
    throw new RollcallError(
      "store_wrong_owner",
      `${path} belongs to another user (uid ${stat.uid}, you are ${uid}).`,
      {
        hint: "Run Rollcall as its owner, or choose another folder with ROLLCALL_HOME.",
      },
    );
  }
}

// FULL: a commit is on the disk before anyone is told. NORMAL lost acknowledged rows in simulated power cuts.
const SETTINGS = `
PRAGMA synchronous = FULL;
PRAGMA journal_size_limit = 67108864;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA temp_store = MEMORY;
`;

const JOURNAL_STEP_MS = 5;

/** The one step for which the engine does not wait by itself: those who make the same store meet here. */
function useJournal(db: Database.Database, waitMs: number): void {
  for (let waited = 0; ; waited += JOURNAL_STEP_MS) {
    try {
      db.pragma("journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = (error as { code?: unknown }).code === "SQLITE_BUSY";
      if (!isBusy || waited > waitMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, JOURNAL_STEP_MS);
    }
  }
}

function configure(db: Database.Database, waitMs: number): void {
  useJournal(db, waitMs);
  db.exec(SETTINGS);
  if (process.platform === "darwin") db.exec("PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1");
}
