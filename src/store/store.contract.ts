import { describe } from "vitest";
import { budgetsContract } from "./contract/budgets.contract.ts";
import { changesContract } from "./contract/changes.contract.ts";
import { cursorsContract } from "./contract/cursors.contract.ts";
import { delegationsContract } from "./contract/delegations.contract.ts";
import { feedContract } from "./contract/feed.contract.ts";
import { listsContract } from "./contract/lists.contract.ts";
import { logContract } from "./contract/log.contract.ts";
import { observationsContract } from "./contract/observations.contract.ts";
import type { MakePlace } from "./contract/place.ts";
import { rangesContract } from "./contract/ranges.contract.ts";
import { redactionContract } from "./contract/redaction.contract.ts";
import { removalContract } from "./contract/removal.contract.ts";
import { safetyContract } from "./contract/safety.contract.ts";
import { searchContract } from "./contract/search.contract.ts";
import { unknownContract } from "./contract/unknown.contract.ts";
import { usageContract } from "./contract/usage.contract.ts";

/** Every promise of `store.ts`, to be kept by each engine. */
export function storeContract(name: string, makePlace: MakePlace): void {
  describe(`the ${name} store`, () => {
    changesContract(makePlace);
    cursorsContract(makePlace);
    feedContract(makePlace);
    logContract(makePlace);
    rangesContract(makePlace);
    listsContract(makePlace);
    searchContract(makePlace);
    usageContract(makePlace);
    unknownContract(makePlace);
    delegationsContract(makePlace);
    budgetsContract(makePlace);
    observationsContract(makePlace);
    redactionContract(makePlace);
    removalContract(makePlace);
    safetyContract(makePlace);
  });
}
