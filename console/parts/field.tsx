// Form fields with labels and error messages.

import type { ReactNode } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField as AriaTextField, type TextFieldProps } from 'react-aria-components/TextField';
import { Icon } from './icon.tsx';
import './field.css';

interface FieldProps extends Omit<TextFieldProps, 'children' | 'className'> {
  label: string;
  hint?: string;
  /** What is wrong with it; null: nothing. */
  problem?: string | null;
  /** The label is read out, but not seen. */
  isLabelUnseen?: boolean;
  placeholder?: string;
  /** The first day of a date field. */
  min?: string;
}

export function Field({ label, hint, problem = null, isLabelUnseen = false, placeholder, min, ...rest }: FieldProps) {
  return (
    <AriaTextField className="field" isInvalid={problem !== null} {...rest}>
      <Label className={isLabelUnseen ? 'unseen' : 'field-label'}>{label}</Label>
      <Input
        className="input"
        {...(placeholder !== undefined && { placeholder })}
        {...(min !== undefined && { min })}
      />
      {hint !== undefined && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-problem">{problem}</FieldError>
    </AriaTextField>
  );
}

/** For several lines. */
export function LongField({ label, ...rest }: Omit<TextFieldProps, 'children' | 'className'> & { label: string }) {
  return (
    <AriaTextField className="field" {...rest}>
      <Label className="field-label">{label}</Label>
      <TextArea className="input input-long" rows={3} />
    </AriaTextField>
  );
}

interface ChoiceProps {
  label: string;
  isLabelUnseen?: boolean;
  value: string;
  /** By what it means: what is shown. */
  options: Readonly<Record<string, string>>;
  icon?: ReactNode;
  onChange(value: string): void;
}

/** One of a few. */
export function Choice({ label, isLabelUnseen = false, value, options, icon, onChange }: ChoiceProps) {
  // Keys must not be empty; the empty value stands behind one of its own.
  const toKey = (one: string) => `=${one}`;
  return (
    <AriaSelect className="choice" value={toKey(value)} onChange={(key) => onChange(String(key).slice(1))}>
      <Label className={isLabelUnseen ? 'unseen' : 'field-label'}>{label}</Label>
      <AriaButton className="choice-button">
        {icon}
        <SelectValue className="choice-value" />
        <Icon name="down" size={16} />
      </AriaButton>
      <Popover className="popover" offset={4}>
        <ListBox className="menu">
          {Object.entries(options).map(([one, shown]) => (
            <ListBoxItem key={toKey(one)} id={toKey(one)} className="option" textValue={shown}>
              {shown}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
