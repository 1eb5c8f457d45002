// The headers If-Match and If-None-Match: `*`, or a list of entity tags (RFC 9110, section 8.8.3).

/** A tag has no quotes inside; it may contain commas. Empty members of a list are allowed (section 5.6.1.2). */
const member = /[ \t]*(?:(?<weak>W\/)?(?<tag>"[\x21\x23-\x7e\x80-\xff]*"))?[ \t]*(?:,|$)/y;

export interface EntityTag {
  isWeak: boolean;
  /** Quoted. */
  tag: string;
}

/** Null: it is not a list of entity tags. */
export function readEntityTags(header: string): readonly EntityTag[] | '*' | null {
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  for (let at = 0; at < header.length; at = member.lastIndex) {
    member.lastIndex = at;
    const groups = member.exec(header)?.groups;
    if (groups === undefined) return null;
    if (groups.tag !== undefined) tags.push({ isWeak: groups.weak !== undefined, tag: groups.tag });
  }
  return tags.length === 0 ? null : tags;
}
