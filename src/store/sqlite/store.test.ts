import { sqlitePlace } from "../../testing/sqlite-place.ts";
import { storeContract } from "../store.contract.ts";

storeContract("SQLite", sqlitePlace);
