import type { VectorIndex } from '../../contracts/conversations/memory.ts';

/** Vectors of one length in memory, searched exactly. The library is loaded when the first vector comes. */
export const oramaIndex = (dimensions: number): VectorIndex => {
  let opening: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => (opening ??= openDatabase(dimensions));
  return {
    add: async (id, vector) => {
      const { orama, database } = await open();
      await orama.insert(database, { id, embedding: [...vector] });
    },
    remove: async (id) => {
      const { orama, database } = await open();
      await orama.remove(database, id);
    },
    search: async (vector, k) => {
      const { orama, database } = await open();
      const { hits } = await orama.search(database, {
        mode: 'vector',
        vector: { value: [...vector], property: 'embedding' },
        // Every vector is a candidate: the caller decides what is near enough.
        similarity: -1,
        limit: k,
      });
      return hits.map(({ id, score }) => ({ id, score }));
    },
  };
};

const openDatabase = async (dimensions: number) => {
  const orama = await import('@orama/orama');
  const vector = `vector[${dimensions}]` as const;
  return { orama, database: orama.create({ schema: { embedding: vector } }) };
};

type Opened = Awaited<ReturnType<typeof openDatabase>>;
