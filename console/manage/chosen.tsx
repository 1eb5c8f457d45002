// Radio buttons and checkboxes with a description for each option.

import { Checkbox } from 'react-aria-components/Checkbox';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Icon } from '../parts/icon.tsx';
import './chosen.css';

interface Chosen<Value> {
  label: string;
  value: Value;
  /** By what it means: what is shown, and a sentence about it. */
  options: Readonly<Record<string, { name: string; help?: string }>>;
  onChange(value: Value): void;
}

export function RadioChoice({ label, value, options, onChange }: Chosen<string>) {
  return (
    <RadioGroup className="chosen" value={value} onChange={onChange}>
      <Label className="field-label">{label}</Label>
      {Object.entries(options).map(([one, { name, help }]) => (
        <Radio key={one} value={one} className="chosen-one">
          <span className="chosen-dot" aria-hidden="true" />
          <span className="chosen-text">
            <b>{name}</b>
            {help !== undefined && <small>{help}</small>}
          </span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

export function CheckboxChoice({
  label,
  value,
  options,
  problem,
  onChange,
}: Chosen<string[]> & { problem: string | null }) {
  return (
    <CheckboxGroup className="chosen" value={value} onChange={onChange} isInvalid={problem !== null}>
      <Label className="field-label">{label}</Label>
      <div className="chosen-row">
        {Object.entries(options).map(([one, { name }]) => (
          <Tick key={one} value={one}>
            {name}
          </Tick>
        ))}
      </div>
      <FieldError className="field-problem">{problem}</FieldError>
    </CheckboxGroup>
  );
}

interface TickProps {
  children: string;
  value?: string;
  isSelected?: boolean;
  onChange?(isSelected: boolean): void;
}

export function Tick({ children, ...rest }: TickProps) {
  return (
    <Checkbox className="tick" {...rest}>
      <span className="tick-box" aria-hidden="true">
        <Icon name="check" size={14} />
      </span>
      {children}
    </Checkbox>
  );
}
