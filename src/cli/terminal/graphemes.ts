/** Made when it is first used: programs that cut nothing do not wait for it. */
let segmenter: Intl.Segmenter | undefined;

/** The characters of a text as readers see them: a letter with its accents, a flag, a family of emoji are one each. */
export const graphemesOf = (text: string): readonly string[] => {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
};
