/** Runs several actions to the end, and then throws the first error. */
export class FirstError {
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
