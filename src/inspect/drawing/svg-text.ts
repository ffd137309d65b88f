import { plain } from './plain-text.ts';

const STYLE = `
svg{font:12px system-ui,sans-serif}
.paper{fill:#fff}.box rect{fill:#f7f8fa;stroke:#8a94a3}.box.compound>rect,.box.parallel>rect{fill:none}
.box.anywhere>rect,.box.step>rect{stroke-dasharray:3 3;fill:none}.box.team>rect,.box.group>rect{fill:none}.title{fill:#1c2430;font-weight:600}.note{fill:#5b6675;font-size:11px}
.initial{fill:#1c2430}.way{fill:none;stroke:#5b6675}.head{fill:#5b6675}.arrow text{fill:#3c4654;font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:5px}
.never{opacity:.35}.times{font-weight:600;fill:#0b63c5}
@media(prefers-color-scheme:dark){.paper{fill:#14181f}.box rect{fill:#1d232d;stroke:#6c7889}.title{fill:#e6eaf0}.note{fill:#9aa5b4}
.initial{fill:#e6eaf0}.way{stroke:#9aa5b4}.head{fill:#9aa5b4}.arrow text{fill:#c3cbd6;stroke:#14181f}.times{fill:#6cb2ff}}
`
  .trim()
  .replaceAll('\n', '');

/** A line of text in an SVG. */
export const text = (
  kind: string,
  x: number,
  y: number,
  words: string,
  anchor: 'start' | 'middle' | 'end',
): string => `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${escapeMarkup(words)}</text>`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Words as markup takes them; what cannot be seen is left out. */
export const escapeMarkup = (words: string): string =>
  plain(words).replaceAll(/[&<>"]/g, (each) => entities[each] ?? each);

/** A drawing as an SVG that stands alone, light or dark as its reader is. */
export const standalone = (
  name: string,
  { width, height }: { readonly width: number; readonly height: number },
  content: readonly string[],
): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeMarkup(name)}">`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...content,
    '</svg>',
    '',
  ].join('\n');
