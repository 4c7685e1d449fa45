import type { LoopPorts } from "../../../daemon/session/session-loop.ts";
import type { NewEvent } from "../../../domain/session/event.ts";
import type { SessionRow } from "../../../domain/session/session.ts";
import { decide as decideReally, type StampedObservation } from "../../../domain/supervise/supervise.ts";
import type { World } from "../world.ts";

/** The events that a transaction would commit. */
interface Draft {
  readonly before: SessionRow;
  readonly stamped: StampedObservation | null;
  readonly events: readonly NewEvent[];
}

/**
 * The store of one session loop. It is asked, decides, commits and answers in separate steps: a daemon that is killed
 * before the commit leaves nothing, and one that is killed before the answer leaves all. A transaction that another
 * writer overtook decides again.
 */
export function change(
  world: World,
  id: string,
  wait: (standing: string) => Promise<void>,
): Pick<LoopPorts, "change" | "decide"> {
  const { store, planted } = world;
  let stamped: StampedObservation | null = null;
  const draft = (decide: Parameters<LoopPorts["change"]>[0]): Draft => {
    const before = store.row(id);
    const decision = decide(before);
    return { before, stamped, events: "events" in decision ? decision.events : decision };
  };
  return {
    change: async (decide) => {
      await wait("deciding");
      const first = draft(decide);
      if (planted.answersEarly) {
        void wait("committing late").then(() => commit(world, id, first));
        return store.preview(id, first.events);
      }
      await wait("committing");
      const answer = commit(world, id, store.row(id) === first.before ? first : draft(decide));
      await wait("committed");
      return answer;
    },
    decide: (row, seen) => {
      stamped = seen;
      const actions = (planted.decide ?? decideReally)(row, seen);
      world.log(() => `${id}/${seen.generation} saw ${JSON.stringify(seen.observation).slice(0, 300)}`);
      world.log(() => `  ${row.state} → ${actions.map((action) => action.do).join(" ")}`);
      return actions;
    },
  };
}

function commit(world: World, id: string, { before, stamped, events }: Draft): ReturnType<World["commit"]> {
  const answer = world.commit(id, events);
  if (stamped) world.oracle.decided(before, stamped, answer.row);
  return answer;
}
