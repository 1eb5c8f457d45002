// Who asks. Made by authentication, believed by everything behind it.

export const scopes = ['content.read', 'content.write', 'content.admin'] as const;
export type Scope = (typeof scopes)[number];

export const defaultScopes: readonly Scope[] = ['content.read', 'content.write'];

/** `server` applications are the document's "server-based" ones: they use the mutual-TLS address only. */
export const applicationKinds = ['client', 'server'] as const;
export type ApplicationKind = (typeof applicationKinds)[number];

export interface Caller {
  appKey: string;
  /** What `CreatedBy` and `ModifiedBy` say: `app:<application name>`. */
  actor: string;
  scopes: readonly Scope[];
  /** The space that the caller sees, and nothing beyond it. */
  space: number;
  rootId: string;
  /** The tracking id of the request, kept with every change it makes. */
  requestId: string;
}

/** "`FolderId` absent, empty or `-root-` means the application's root folder." */
export function toFolderId({ rootId }: Caller, id: string | null): string {
  return id === null || id === '' || id === '-root-' ? rootId : id;
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
