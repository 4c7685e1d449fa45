/** Does one thing at a time, in the order of asking: what each needs of memory is needed once, however many ask. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** What fails is told to who asked, and keeps nobody else from his turn. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }
}
