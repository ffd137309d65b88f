/** Loads what the runtime loads on first use: that takes turns of the event loop, in which a simulated world must not go on. */
export const loadParts = (): Promise<unknown> =>
  Promise.all([
    import('../../memory/threads/thread-files.ts'),
    import('../../persistence/field-vault.ts'),
    import('../../persistence/journal-codec.ts'),
    import('../../persistence/sealed-data.ts'),
    import('../../runtime/content/hold-blobs.ts'),
    import('../../runtime/journal/letters/sealed-letters.ts'),
    import('../../runtime/journal/replay/parse-records.ts'),
  ]);
