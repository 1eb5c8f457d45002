// The filters of the audit trail. They are in the address, so a view can be shared.

import { useEffect, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useManageWords } from './use-manage-words.ts';
import './audit.css';

const pauseMs = 300;
const names = ['by', 'action', 'entry', 'since', 'until'];

export function AuditFilters() {
  const words = useManageWords().audit;
  const { params } = useRoute();
  const set = (name: string) => (value: string) => setParams({ [name]: value }, { isReplaced: true });
  const isFiltered = names.some((name) => (params[name] ?? '') !== '');
  const clear = () => setParams(Object.fromEntries(names.map((name) => [name, ''])), { isReplaced: true });
  return (
    <search className="audit-filters">
      <Choice
        label={words.action}
        value={params.action ?? ''}
        options={{ '': words.anyAction, ...words.actions }}
        onChange={set('action')}
      />
      <TypedFilter label={words.by} placeholder={words.byHint} value={params.by ?? ''} onChange={set('by')} />
      <Field label={words.since} type="date" value={params.since ?? ''} onChange={set('since')} />
      <Field label={words.until} type="date" value={params.until ?? ''} onChange={set('until')} />
      {params.entry !== undefined && (
        <TypedFilter label={words.entry} value={params.entry} onChange={set('entry')} placeholder="" />
      )}
      {isFiltered && (
        <Button look="quiet" icon="close" onPress={clear}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}

interface TypedFilterProps {
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
}

/** The address follows after a pause in typing. */
function TypedFilter({ label, placeholder, value, onChange }: TypedFilterProps) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(value), [value]);
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(typed.trim()), pauseMs);
  };
  return (
    <Field label={label} placeholder={placeholder} value={text} onChange={type} autoComplete="off" spellCheck="false" />
  );
}
