import { listOf, objectOf } from "../agents/json-lines.ts";
import type { Json, JsonObject } from "../domain/json.ts";

/** More turns than a person goes back over. */
const MOST_TURNS = 2000;

/** The file, and the key of a line in it. */
type Place = readonly [file: number, key: string];

/**
 * The turns of a transcript that are part of its conversation, each by the entry with its first words. A person may take
 * back the newest ones; what comes then continues those before. A transcript may go on in another file.
 */
export class VisibleTurns {
  #files: string[] = [];
  #places: (Place | null)[] = [];

  /** Goes on where an earlier reader stopped. */
  restore(kept: Json | undefined): void {
    const { files, places } = objectOf(kept);
    this.#files = listOf(files).filter((file) => typeof file === "string");
    this.#places = listOf(places).map((place) => {
      const [file, key] = listOf(place);
      return typeof file === "number" && typeof key === "string" ? [file, key] : null;
    });
  }

  get kept(): JsonObject {
    return {
      files: [...this.#files],
      places: this.#places.map((place) => (place === null ? null : [...place])),
    };
  }

  /** Takes back the newest turns; returns the id of the first entry among them, if they have any. */
  rewind(count: number): string | undefined {
    if (count <= 0) return undefined;
    const taken = this.#places.splice(Math.max(0, this.#places.length - count));
    const first = taken.find((place) => place !== null);
    return first && `${this.#files[first[0]]}-${first[1]}-0`;
  }

  /** Entries of a line have ids of its file and key. A turn that begins has its first words here or later. */
  pass(
    file: string,
    key: string,
    { begins, speaks }: { readonly begins: boolean; readonly speaks: boolean },
  ): void {
    if (begins) this.#places.push(null);
    if (speaks && this.#places.at(-1) === null)
      this.#places[this.#places.length - 1] = [this.#indexOf(file), key];
    if (this.#places.length > MOST_TURNS) this.#places.shift();
  }

  #indexOf(file: string): number {
    if (!this.#files.includes(file)) this.#files.push(file);
    return this.#files.indexOf(file);
  }
}
