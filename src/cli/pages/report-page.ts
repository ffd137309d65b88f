import { escapeMarkup } from '../../inspect/drawing/svg-text.ts';
import { printable } from '../../base/text/printable.ts';

/** A cell of a table: its words, and how it is shown. */
export interface PageCell {
  readonly text: string;
  readonly tone?: 'good' | 'bad' | 'uncertain' | 'faint' | undefined;
}

/** A part of a page. */
export interface PageSection {
  readonly title: string;
  readonly lines?: readonly string[] | undefined;
  readonly table?:
    | { readonly head: readonly string[]; readonly rows: readonly (readonly PageCell[])[] }
    | undefined;
}

/** A report, as a page of its own. */
export interface ReportPage {
  readonly title: string;
  readonly verdict: PageCell;
  readonly sections: readonly PageSection[];
}

/**
 * Writes a report as one page of HTML that needs nothing else: no script, and no other file, which its policy forbids, too. All texts are escaped,
 * as models and tools may have written them.
 */
export const reportPage = ({ title, verdict, sections }: ReportPage): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${markup(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<h1>${markup(title)}</h1>`,
    `<p class="verdict ${verdict.tone ?? ''}">${markup(verdict.text)}</p>`,
    ...sections.flatMap(sectionMarkup),
    '</body>',
    '</html>',
    '',
  ].join('\n');

const sectionMarkup = ({ title, lines = [], table }: PageSection): readonly string[] => [
  `<h2>${markup(title)}</h2>`,
  ...lines.map((line) => `<p>${markup(line)}</p>`),
  ...(table === undefined || table.rows.length === 0
    ? []
    : [
        '<div class="scroll" tabindex="0"><table>',
        `<thead><tr>${table.head.map((each) => `<th scope="col">${markup(each)}</th>`).join('')}</tr></thead>`,
        '<tbody>',
        ...table.rows.map((row) => `<tr>${row.map(cellMarkup).join('')}</tr>`),
        '</tbody>',
        '</table></div>',
      ]),
];

const cellMarkup = ({ text, tone }: PageCell): string =>
  `<td${tone === undefined ? '' : ` class="${tone}"`}>${markup(text)}</td>`;

const markup = (text: string): string => escapeMarkup(printable(text));

const STYLE = `
:root { color-scheme: light dark; --good: light-dark(#17692f, #7fd694); --bad: light-dark(#a51d2d, #ff9aa2); --uncertain: light-dark(#7a5200, #e8c26a); --faint: light-dark(#595959, #a8a8a8); --line: light-dark(#d8d8d8, #444) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
p { margin: .2rem 0 }
.verdict { font-weight: 600; font-size: 1.1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; min-width: 4rem; max-width: 32rem }
th { font-weight: 600; color: var(--faint) }
.good { color: var(--good) } .bad { color: var(--bad); font-weight: 600 } .uncertain { color: var(--uncertain) } .faint { color: var(--faint) }
`;
