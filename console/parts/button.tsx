// Buttons. An icon button has a label, which is also its tooltip.

import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components/Button';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import { Icon, type IconName } from './icon.tsx';
import './button.css';

interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'isPending'> {
  /** `main`: what one most likely wants; `quiet`: one of many; `bad`: cannot be undone. */
  look?: 'main' | 'plain' | 'quiet' | 'bad';
  icon?: IconName;
  /** Pressed already, and not done yet. A disabled button would lose the focus, and a dialog could not give it back. */
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({ look = 'plain', icon, isBusy = false, children, onPress, ...rest }: ButtonProps) {
  return (
    <AriaButton
      className={`button button-${look}`}
      {...rest}
      data-busy={isBusy}
      onPress={(event) => isBusy || onPress?.(event)}
    >
      {icon !== undefined && <Icon name={icon} size={18} />}
      <span className="button-text">{children}</span>
    </AriaButton>
  );
}

interface IconButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'aria-label'> {
  icon: IconName;
  label: string;
  isPressed?: boolean;
}

export function IconButton({ icon, label, isPressed, ...rest }: IconButtonProps) {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        className="icon-button"
        aria-label={label}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed, 'data-on': isPressed })}
        {...rest}
      >
        <Icon name={icon} />
      </AriaButton>
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  );
}
