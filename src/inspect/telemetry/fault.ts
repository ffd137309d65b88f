/** Has everything done, and says in the end what was thrown first. */
export class Fault {
  #thrown: { readonly what: unknown } | undefined;

  watch(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#thrown ??= { what: thrown };
    }
  }

  surface(): void {
    if (this.#thrown !== undefined) throw this.#thrown.what;
  }
}
