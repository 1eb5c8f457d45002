// Parses `CABINET_CATALOG`: `sqlite:`, or `postgres://…` as PostgreSQL's tools take it. The query parameter `schema` is ours: the
// prefix of the schemas' names.

export type CatalogConfig =
  | { kind: 'sqlite' }
  | { kind: 'postgres'; url: string; schema: string; maxConnections: number };

export function parseCatalogSetting(
  text: string,
  maxConnections: number,
  onMistake: (problem: string) => void,
): CatalogConfig {
  if (text === 'sqlite:') return { kind: 'sqlite' };
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) {
    const shown = JSON.stringify(text.replace(/:[^:@/]*@/, ':…@'));
    onMistake(`${shown} is neither sqlite: nor postgres://user@host/database`);
    return { kind: 'sqlite' };
  }
  const schema = url.searchParams.get('schema') ?? 'cabinet';
  if (!/^[a-z_][a-z0-9_]{0,30}$/.test(schema)) onMistake(`${JSON.stringify(schema)} is not the name of a schema`);
  if (url.searchParams.get('sslmode') === 'no-verify') onMistake('sslmode=no-verify would trust anyone');
  url.searchParams.delete('schema');
  return { kind: 'postgres', url: url.href, schema, maxConnections };
}
