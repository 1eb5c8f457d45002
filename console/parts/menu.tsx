// Menus that a button opens, and selects.

import type { ReactNode } from 'react';
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  MenuTrigger,
} from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Separator } from 'react-aria-components/Separator';
import { Icon, type IconName } from './icon.tsx';
import './menu.css';

interface MenuProps {
  label: string;
  /** The button. */
  trigger: ReactNode;
  children: ReactNode;
  onAction?(key: string): void;
}

export function Menu({ label, trigger, children, onAction }: MenuProps) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" offset={4} placement="bottom end">
        <AriaMenu className="menu" aria-label={label} onAction={(key) => onAction?.(String(key))}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

type ItemProps = Omit<MenuItemProps, 'children' | 'className'> & {
  icon?: IconName;
  /** The keys that do the same. */
  keys?: string;
  isBad?: boolean;
  isChosen?: boolean;
  children: string;
};

export function MenuItem({ icon, keys, isBad = false, isChosen, children, ...rest }: ItemProps) {
  return (
    <AriaMenuItem className={isBad ? 'menu-item menu-item-bad' : 'menu-item'} textValue={children} {...rest}>
      {icon !== undefined && <Icon name={icon} size={18} />}
      <span className="menu-text">{children}</span>
      {isChosen === true && <Icon name="check" size={16} />}
      {keys !== undefined && (
        <span aria-hidden="true">
          <kbd>{keys}</kbd>
        </span>
      )}
    </AriaMenuItem>
  );
}

export function MenuLine() {
  return <Separator className="menu-line" />;
}
