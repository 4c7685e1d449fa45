import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The version 1 freezer: what it holds cannot even be killed, as a process in a hung system call cannot. */
const FREEZER = "/sys/fs/cgroup/freezer";
const MEMORY = "/sys/fs/cgroup/memory";

interface Freezer extends Disposable {
  thaw(): void;
}

export function freezer(pid: number): Freezer {
  const group = new Group(FREEZER, "freezer");
  group.write("cgroup.procs", String(pid));
  group.write("freezer.state", "FROZEN");
  const thaw = () => group.write("freezer.state", "THAWED");
  return {
    thaw,
    [Symbol.dispose]: () => {
      thaw();
      group[Symbol.dispose]();
    },
  };
}

/** A group in which memory is short. */
export function smallMemory(bytes: number): Group {
  const group = new Group(MEMORY, "memory");
  group.write("memory.limit_in_bytes", String(bytes));
  return group;
}

export function whyNoFreezer(): string | undefined {
  return whyNot(FREEZER, "freezer", "freezer.state");
}

export function whyNoMemoryGroup(): string | undefined {
  return whyNot(MEMORY, "memory", "memory.limit_in_bytes");
}

function whyNot(root: string, controller: string, file: string): string | undefined {
  try {
    using group = new Group(root, controller);
    readFileSync(join(group.path, file));
    return undefined;
  } catch {
    return `no control group can be made under ${root} (run it as root with version 1 control groups)`;
  }
}

/** Below the group that this process is in, so that its limits hold there too. */
class Group implements Disposable {
  readonly path: string;
  readonly #own: string;

  constructor(root: string, controller: string) {
    const line = readFileSync("/proc/self/cgroup", "utf8")
      .split("\n")
      .find((text) => text.split(":")[1] === controller);
    if (line === undefined) throw new Error(`There is no ${controller} controller.`);
    this.#own = join(root, line.split(":")[2] as string);
    this.path = join(this.#own, `rollcall-faults-${process.pid}-${Date.now()}`);
    mkdirSync(this.path);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.path, file), text);
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), "utf8");
  }

  /** What is left in it goes back to where it came from. */
  [Symbol.dispose](): void {
    for (const pid of readFileSync(join(this.path, "cgroup.procs"), "utf8").split("\n").filter(Boolean))
      writeFileSync(join(this.#own, "cgroup.procs"), pid);
    rmdirSync(this.path);
  }
}
