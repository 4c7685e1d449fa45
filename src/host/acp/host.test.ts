import { hostContract } from "../host.contract.ts";
import { acp } from "./host.ts";

hostContract(acp, {
  "gives the command a terminal of the size it is told": "pipes have no screen",
});
