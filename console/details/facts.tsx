// The metadata of an entry, with editable properties and object type.

import type { EntryDetails } from '@cabinet/client';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useActions } from '../files/actions.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { useSession } from '../session/session-context.tsx';
import { showActor } from '../words/actor.ts';
import { formatNumber, formatSize, formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import './facts.css';

export function Facts({ shown }: { shown: EntryDetails }) {
  const words = useWords();
  const { Entry, Path, Sha256, Version } = shown;
  const { details, locale } = words;
  const facts: [string, string | undefined][] = [
    [details.type, Entry.Type === 'folder' ? undefined : Entry.ContentType],
    [details.size, toExactSize(Entry.Size, locale)],
    [details.created, details.byWhom(formatTime(Entry.CreatedAt, locale), showActor(Entry.CreatedBy, words))],
    [details.modified, details.byWhom(formatTime(Entry.ModifiedAt, locale), showActor(Entry.ModifiedBy, words))],
    [details.version, Version === undefined ? undefined : String(Version)],
    [details.path, Path],
    [details.id, Entry.Id],
    [details.checksum, Sha256],
  ];
  return (
    <div className="facts">
      <dl>
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      <Properties key={shown.ETag} shown={shown} />
    </div>
  );
}

/** Small sizes are exact by themselves. */
function toExactSize(bytes: number, locale: string): string {
  const size = formatSize(bytes, locale);
  return bytes < 1000 ? size : `${size} (${formatNumber(bytes, locale)})`;
}

interface Line {
  id: number;
  key: string;
  value: string;
}

function Properties({ shown: { Entry } }: { shown: EntryDetails }) {
  const words = useWords();
  const { canWrite, canManage } = useSession();
  const actions = useActions();
  const [lines, setLines] = useState<Line[]>(() =>
    Object.entries(Entry.Properties).map(([key, value], id) => ({ id, key, value })),
  );
  const [objectType, setObjectType] = useState(Entry.ObjectType);
  /** Programs give types of their own; what people save has one of these. */
  const [isTyped] = useState(!['cmis:document', 'cmis:folder'].includes(Entry.ObjectType));
  const wanted = Object.fromEntries(lines.filter(({ key }) => key !== '').map(({ key, value }) => [key, value]));
  const changes = toChanges(Entry.Properties, wanted);
  const isChanged = Object.keys(changes).length > 0 || objectType !== Entry.ObjectType;
  const last = useRef<HTMLDivElement>(null);
  const add = () => {
    flushSync(() => setLines([...lines, { id: Math.max(0, ...lines.map((line) => line.id + 1)), key: '', value: '' }]));
    last.current?.querySelector<HTMLInputElement>('.facts-property:last-child input')?.focus();
  };
  const edit = (id: number, change: Partial<Line>) =>
    setLines(lines.map((line) => (line.id === id ? { ...line, ...change } : line)));
  const save = () => {
    const objectTypeToo = objectType === Entry.ObjectType ? {} : { objectType };
    actions.change(Entry, { properties: changes, ...objectTypeToo }).catch((error) => showError(error, words));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) save();
      }}
    >
      <h3>{words.details.properties}</h3>
      {lines.length === 0 && <p className="facts-hint">{words.details.noProperties}</p>}
      <div ref={last}>
        {lines.map(({ id, key, value }) => (
          <PropertyFields
            key={id}
            property={{ key, value }}
            onChange={(change) => edit(id, change)}
            onRemove={() => setLines(lines.filter((line) => line.id !== id))}
          />
        ))}
      </div>
      {(isTyped || canManage) && (
        <details className="facts-more" open={isTyped}>
          <summary>{words.details.forPrograms}</summary>
          <Field
            label={words.details.objectType}
            hint={words.details.objectTypeHelp}
            value={objectType}
            isReadOnly={!canWrite}
            onChange={setObjectType}
          />
        </details>
      )}
      {canWrite && (
        <div className="facts-actions">
          <Button icon="plus" onPress={add}>
            {words.details.addProperty}
          </Button>
          <Button look="main" type="submit" isDisabled={!isChanged}>
            {words.details.save}
          </Button>
        </div>
      )}
    </form>
  );
}

interface PropertyFieldsProps {
  property: Pick<Line, 'key' | 'value'>;
  onChange(change: Partial<Line>): void;
  onRemove(): void;
}

function PropertyFields({ property: { key, value }, onChange, onRemove }: PropertyFieldsProps) {
  const words = useWords();
  const { canWrite } = useSession();
  return (
    <div className="facts-property">
      <Field
        label={words.details.key}
        isLabelUnseen
        placeholder={words.details.key}
        value={key}
        isReadOnly={!canWrite}
        onChange={(typed) => onChange({ key: typed })}
      />
      <Field
        label={words.details.value}
        isLabelUnseen
        placeholder={words.details.value}
        value={value}
        isReadOnly={!canWrite}
        onChange={(typed) => onChange({ value: typed })}
      />
      {canWrite && <IconButton icon="close" label={words.details.removeProperty(key)} onPress={onRemove} />}
    </div>
  );
}

/** The differences; null removes a key. */
function toChanges(before: Record<string, string>, wanted: Record<string, string>): Record<string, string | null> {
  const gone = Object.keys(before).filter((key) => !(key in wanted));
  const set = Object.entries(wanted).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...set]);
}
