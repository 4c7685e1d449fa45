import { homeFolder } from "../../home/layout.ts";
import { type Check, ok } from "../../record/doctor.ts";
import { describeImport, type ImportStatus } from "../import-status.ts";
import { askDaemon } from "../live.ts";

/** Put in by the build, from package.json. */
declare const ROLLCALL_VERSION: string;

/** Whether the daemon goes on with the histories that were imported once. */
export async function importCheck(): Promise<Check> {
  const client = await askDaemon(homeFolder());
  if (client === undefined || client === "silent") return ok("import", "Only a daemon follows histories.");
  using _ = client;
  if (client.greeting.version !== ROLLCALL_VERSION)
    return ok("import", "A daemon of another version may follow histories.");
  const { import: status } = await client.call<{ readonly import?: ImportStatus }>("get_status", {});
  if (!status?.isFollowing) return ok("import", "No history is followed.");
  const detail = `The daemon follows histories: ${describeImport(status)}.`;
  if (status.error === null && status.failed.length === 0) return ok("import", detail);
  const hint = "`rollcall import` shows what it meets.";
  return { name: "import", status: "warning", detail, hint };
}
