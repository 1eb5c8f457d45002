// Patterns in remote paths: `*` and `?` within a name, `[abc]`, and `**` for any number of folders. A backslash escapes
// the next character, without ambiguity: no name contains one.

const magic = /(?<!\\)[*?[]/;

export function isPattern(path: string): boolean {
  return magic.test(path);
}

/** Removes the escapes. */
export function toLiteral(path: string): string {
  return path.replaceAll(/\\(.)/gsu, '$1');
}

/** Matches a whole name. As in a shell, `*` and `?` do not match a leading dot. */
export function toNamePattern(pattern: string): RegExp {
  const hidden = /^[*?[]/.test(pattern) ? '(?!\\.)' : '';
  return new RegExp(`^${hidden}${toSource(pattern.normalize('NFC'))}$`, 'su');
}

/** Matches a whole name; `*` also matches names that begin with a dot. */
export function toWildcard(pattern: string): RegExp {
  return new RegExp(`^${toSource(pattern)}$`, 'su');
}

function toSource(pattern: string): string {
  const parts = pattern.matchAll(/\\(?<taken>.)|(?<class>\[[!^]?\]?[^\]]*\])|(?<any>\*+)|(?<one>\?)|(?<plain>.)/gsu);
  return [...parts]
    .map(({ groups = {} }) => {
      if (groups.any !== undefined) return '.*';
      if (groups.one !== undefined) return '.';
      if (groups.class !== undefined) return toClass(groups.class);
      return escapeRegExp(groups.taken ?? groups.plain ?? '');
    })
    .join('');
}

function toClass(text: string): string {
  const inside = text.slice(1, -1);
  const isNegated = /^[!^]/.test(inside);
  const escaped = inside.slice(isNegated ? 1 : 0).replaceAll(/[\\\]^[]/g, '\\$&');
  const source = `[${isNegated ? '^' : ''}${escaped}]`;
  return isReadable(source) ? source : escapeRegExp(text);
}

/** `[z-a]` is no valid range. */
function isReadable(source: string): boolean {
  try {
    new RegExp(source, 'su');
    return true;
  } catch {
    return false;
  }
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
