import type { FieldType, SignatureField, SignatureFields } from '../../contracts/agents/signature.ts';

/**
 * Writes a signature down: what `parseSignature` reads back to the same fields.
 *
 * @example printSignature(parseSignature('q:str->a:float')) // => 'q: string -> a: number'
 */
export const printSignature = ({ inputs, outputs }: SignatureFields): string =>
  `${printFieldList(inputs)} -> ${printFieldList(outputs)}`;

/** One side of a signature, written down. */
const printFieldList = (fields: readonly SignatureField[]): string => fields.map(printField).join(', ');

const printField = ({ name, type, isOptional, fallback, description }: SignatureField): string => {
  const mark = isOptional ? '?' : '';
  const value = fallback === undefined ? '' : ` = ${literal(fallback)}`;
  const words = description === undefined ? '' : ` "${description}"`;
  return `${name}${mark}: ${printType(type)}${value}${words}`;
};

const literal = (value: NonNullable<SignatureField['fallback']> | null): string =>
  typeof value === 'string' ? `'${value}'` : JSON.stringify(value);

const printType = (type: FieldType): string => {
  switch (type.kind) {
    case 'enum':
      return type.values.map((value) => `'${value}'`).join(' | ');
    case 'list':
      return type.of.kind === 'enum' ? `(${printType(type.of)})[]` : `${printType(type.of)}[]`;
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'json':
    case 'date':
      return type.kind;
  }
};
